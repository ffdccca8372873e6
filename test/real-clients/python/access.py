"""Signs in as Python programs do, and prints as whom.

The arguments are a kubeconfig and the contexts of it; without arguments it is a program in a pod.
"""
import sys

from kubernetes import client, config
from kubernetes.client.rest import ApiException


def whoami(api_client):
    try:
        review = client.AuthenticationV1Api(api_client).create_self_subject_review(client.V1SelfSubjectReview())
        return review.status.user_info.username
    except ApiException as error:
        return error.status


def main(kubeconfig=None, *contexts):
    if kubeconfig is None:
        config.load_incluster_config()
        print("pod", whoami(client.ApiClient()))
        return
    for context in contexts:
        print(context, whoami(config.new_client_from_config(kubeconfig, context)))
    impersonating = config.new_client_from_config(kubeconfig, contexts[0])
    impersonating.set_default_header("Impersonate-User", "carol")
    print("impersonated", whoami(impersonating))


main(*sys.argv[1:])

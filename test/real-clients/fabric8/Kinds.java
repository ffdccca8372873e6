import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Creates, reads, edits, lists and deletes the object of each kind with the class of its model. Prints a line for each
 * kind whose life went well. The arguments are a kubeconfig and the file of the samples.
 */
public class Kinds {
  private static final ObjectMapper mapper = new ObjectMapper();
  private static final int conflictsMax = 10;
  /** Tells of a busy machine. Kept here, since loggers that nobody refers to lose their level. */
  private static final Logger eventLoops = Logger.getLogger("io.vertx.core.impl.BlockedThreadChecker");

  /** Returns the first field that was sent and is not there, or null. Empty ones are absent. */
  private static String missing(JsonNode got, JsonNode sent, String path) {
    if (sent.isObject()) {
      for (Iterator<Map.Entry<String, JsonNode>> fields = sent.fields(); fields.hasNext(); ) {
        Map.Entry<String, JsonNode> field = fields.next();
        String fault = missing(got == null ? null : got.get(field.getKey()), field.getValue(), path + "." + field.getKey());
        if (fault != null) return fault;
      }
      return null;
    }
    if (sent.isArray()) {
      if ((got == null ? 0 : got.size()) != sent.size()) return path + ": " + sent + ", got " + got;
      for (int i = 0; i < sent.size(); i++) {
        String fault = missing(got.get(i), sent.get(i), path + "[" + i + "]");
        if (fault != null) return fault;
      }
      return null;
    }
    return sent.isNull() || same(got, sent) ? null : path + ": " + sent + ", got " + got;
  }

  /** Quantities are compared by their value, and numbers may be texts. */
  private static boolean same(JsonNode got, JsonNode sent) {
    if (got == null) return false;
    if (got.asText().equals(sent.asText())) return true;
    try {
      return new Quantity(got.asText()).equals(new Quantity(sent.asText()));
    } catch (RuntimeException none) {
      return false;
    }
  }

  /** As the client would send it. */
  private static ObjectNode tree(KubernetesClient client, Object object) {
    try {
      return (ObjectNode) mapper.readTree(client.getKubernetesSerialization().asJson(object));
    } catch (JsonProcessingException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private static void holds(KubernetesClient client, Object got, JsonNode sent) {
    String fault = missing(tree(client, got), sent, "");
    if (fault != null) throw new IllegalStateException("sent and not answered: " + fault);
  }

  /** Takes the finalizers away and adds an annotation, again if a controller was faster. */
  private static HasMetadata edit(KubernetesClient client, HasMetadata made) {
    for (int attempt = 1; ; attempt++) {
      try {
        return client.resource(client.resource(made).get()).edit(
            it -> {
              it.getMetadata().setFinalizers(new ArrayList<>());
              it.getMetadata().getAnnotations().put("example.com/edited", "yes");
              return it;
            });
      } catch (KubernetesClientException refused) {
        if (refused.getCode() != 409 || attempt == conflictsMax) throw refused;
      }
    }
  }

  private static String life(KubernetesClient client, JsonNode sample) {
    ObjectNode object = sample.get("object").deepCopy();
    KubernetesSerialization serialization = client.getKubernetesSerialization();
    KubernetesResource read = serialization.unmarshal(object.toString(), KubernetesResource.class);
    if (read instanceof GenericKubernetesResource) return "there is no model";
    holds(client, read, object);
    String namespace = sample.get("namespace").asText();
    if (!namespace.isEmpty()) {
      client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
    }
    object.remove("stringData");
    // Its answer is the rules alone.
    if (object.path("kind").asText().equals("SelfSubjectRulesReview")) object.remove("spec");
    NamespaceableResource<HasMetadata> resource = client.resource((HasMetadata) read);
    HasMetadata made = resource.create();
    holds(client, made, object);
    if (made.getMetadata() == null || made.getMetadata().getUid() == null) return "is answered";
    NamespaceableResource<HasMetadata> stored = client.resource(made);
    holds(client, stored.get(), object);
    HasMetadata edited = edit(client, made);
    ((ObjectNode) object.get("metadata")).remove("finalizers");
    holds(client, edited, object);
    if (!edited.getMetadata().getAnnotations().containsKey("example.com/edited")) throw new IllegalStateException("found " + edited);
    if (sample.has("status")) {
      ObjectNode reported = mapper.createObjectNode().set("status", sample.get("status"));
      ObjectNode whole = tree(client, edited);
      whole.setAll(reported);
      KubernetesResource next = serialization.unmarshal(whole.toString(), KubernetesResource.class);
      holds(client, client.resource((HasMetadata) next).patchStatus(), reported);
    }
    List<? extends HasMetadata> listed = client.resources(made.getClass()).inAnyNamespace().list().getItems();
    if (listed.stream().noneMatch(one -> one.getMetadata().getUid().equals(made.getMetadata().getUid()))) {
      throw new IllegalStateException("it is not listed");
    }
    stored.withPropagationPolicy(DeletionPropagation.BACKGROUND).withGracePeriod(0).delete();
    HasMetadata left = stored.get();
    // Controllers have the last word on namespaces and definitions.
    if (left != null && left.getMetadata().getDeletionTimestamp() == null) throw new IllegalStateException("it is not deleted");
    if (!namespace.isEmpty()) client.namespaces().withName(namespace).delete();
    return "lives";
  }

  public static void main(String[] arguments) throws Exception {
    Config config = Config.fromKubeconfig(Files.readString(Path.of(arguments[0])));
    List<String> faults = new ArrayList<>();
    eventLoops.setLevel(Level.OFF);
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      for (JsonNode sample : mapper.readTree(new File(arguments[1]))) {
        String name = sample.get("apiVersion").asText() + " " + sample.get("kind").asText();
        try {
          System.out.println(name + ": " + life(client, sample));
        } catch (RuntimeException fault) {
          faults.add(name + ": " + fault);
        }
      }
    }
    faults.forEach(System.err::println);
    if (!faults.isEmpty()) System.exit(1);
  }
}

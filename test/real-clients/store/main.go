// Command store reads and writes a cluster's etcd without an API server, as the reference's own servers do: with the
// codecs of k8s.io/api and, for writing, the etcd storage of k8s.io/apiserver.
//
//	store -server URL read            prints every key of the store
//	store -server URL write < LINES   stores one object for each line
//	store encode < LINES              prints what the reference stores and answers for each object; needs no etcd
//	store mirror < LINES              reads objects in both encodings and writes them again, or makes up objects
//
// All use JSON, one entry per line. On failure it prints the error and exits with 1.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	discoveryv2 "k8s.io/api/apidiscovery/v2"
	discoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
)

const patience = time.Minute

// entry is one key of the store.
type entry struct {
	Key string `json:"key"`
	// Revision of the last change; ignored by write.
	Revision int64 `json:"revision,omitempty"`
	// TTL of the key's lease in seconds, 0 for a key without one.
	TTL int64 `json:"ttl,omitempty"`
	// Object is absent if the value is not an encoded object; Raw then has its size.
	Object json.RawMessage `json:"object,omitempty"`
	Raw    int             `json:"raw,omitempty"`
	// Foreign is true if the reference would have stored other bytes for the same object.
	Foreign bool `json:"foreign,omitempty"`
}

// encoded is an object in the forms in which the reference stores and answers it.
type encoded struct {
	// JSON and Compact are the stored value in the version of the object, without defaults, as an older server wrote it.
	JSON    json.RawMessage `json:"json"`
	Compact []byte          `json:"compact"`
	// Served and ServedCompact are the object read from there, with the defaults of that version, converted to the
	// version that the reference prefers.
	Served        json.RawMessage `json:"served"`
	ServedCompact []byte          `json:"servedCompact"`
	// Answered is what a client of the compact encoding gets, with answeredVersion.
	Answered []byte `json:"answered"`
}

// Resource version of the objects that encode prints as answers.
const answeredVersion = "7"

// Definitions and APIServices are no part of the client's own scheme, nor are partial objects and the documents of
// discovery. Versions of the first two are converted by way of the internal one.
func init() {
	install.Install(scheme.Scheme)
	aggregator.Install(scheme.Scheme)
	utilruntime.Must(metav1.AddMetaToScheme(scheme.Scheme))
	utilruntime.Must(discoveryv2.AddToScheme(scheme.Scheme))
	utilruntime.Must(discoveryv2beta1.AddToScheme(scheme.Scheme))
}

func main() {
	server := flag.String("server", "", "URL of the etcd")
	prefix := flag.String("prefix", "/registry", "what all keys begin with")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, *server, *prefix, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, server, prefix, command string) (err error) {
	output := bufio.NewWriter(os.Stdout)
	defer func() { err = errors.Join(err, output.Flush()) }()
	switch command {
	case "encode":
		return encode(os.Stdin, json.NewEncoder(output))
	case "mirror":
		return mirror(os.Stdin, json.NewEncoder(output))
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server}, DialTimeout: 10 * time.Second})
	if err != nil {
		return err
	}
	defer client.Close()
	switch command {
	case "read":
		return read(ctx, client, prefix+"/", json.NewEncoder(output))
	case "write":
		return write(ctx, client, prefix, os.Stdin, json.NewEncoder(output))
	}
	return fmt.Errorf("%q is none of read, write, encode and mirror", command)
}

func read(ctx context.Context, client *clientv3.Client, prefix string, output *json.Encoder) error {
	answer, err := client.Get(ctx, prefix, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	for _, kv := range answer.Kvs {
		one, err := decode(kv.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", kv.Key, err)
		}
		one.Key, one.Revision = string(kv.Key), kv.ModRevision
		if kv.Lease != 0 {
			lease, err := client.TimeToLive(ctx, clientv3.LeaseID(kv.Lease))
			if err != nil {
				return fmt.Errorf("lease of %s: %w", kv.Key, err)
			}
			one.TTL = lease.GrantedTTL
		}
		if err := output.Encode(one); err != nil {
			return err
		}
	}
	return nil
}

// decode accepts what the reference's storage codec accepts. A value that is not an object is left undecoded.
func decode(value []byte) (entry, error) {
	if !bytes.HasPrefix(value, []byte("k8s\x00")) {
		return entry{Raw: len(value)}, nil
	}
	object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
	if err != nil {
		return entry{}, err
	}
	again, err := runtime.Encode(codecFor(kind.GroupVersion()), object)
	if err != nil {
		return entry{}, err
	}
	// Decoding removes the kind from the object; JSON needs it.
	object.GetObjectKind().SetGroupVersionKind(*kind)
	text, err := json.Marshal(object)
	return entry{Object: text, Foreign: !bytes.Equal(value, again)}, err
}

// codecFor returns the codec that the reference configures for its storage.
func codecFor(version schema.GroupVersion) runtime.Codec {
	compact := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	return serializer.NewCodecFactory(scheme.Scheme).CodecForVersions(compact, scheme.Codecs.UniversalDeserializer(), version, version)
}

func write(ctx context.Context, client *clientv3.Client, prefix string, input io.Reader, output *json.Encoder) error {
	lines := json.NewDecoder(input)
	for {
		var one entry
		if err := lines.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		revision, err := writeOne(ctx, client, prefix, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Key, err)
		}
		if err := output.Encode(entry{Key: one.Key, Revision: revision}); err != nil {
			return err
		}
	}
}

// writeOne creates or replaces the object through the reference's own storage.
func writeOne(ctx context.Context, client *clientv3.Client, prefix string, one entry) (int64, error) {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	object, kind, err := strict.Decode(one.Object, nil, nil)
	if err != nil {
		return 0, err
	}
	fresh := func() runtime.Object { return reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object) }
	resource := schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind) + "s"}
	store := etcd3.New(client, codecFor(kind.GroupVersion()), fresh, nil, prefix, "/"+resource.Resource, resource,
		identity.NewEncryptCheckTransformer(), etcd3.NewDefaultLeaseManagerConfig())
	ttl := uint64(one.TTL)
	written, err := replace(ctx, store, strings.TrimPrefix(one.Key, prefix), object, fresh(), ttl)
	if err != nil {
		return 0, err
	}
	revision, err := store.Versioner().ObjectResourceVersion(written)
	return int64(revision), err
}

func replace(ctx context.Context, store storage.Interface, key string, object, written runtime.Object, ttl uint64) (runtime.Object, error) {
	update := func(_ runtime.Object, _ storage.ResponseMeta) (runtime.Object, *uint64, error) {
		return object, &ttl, nil
	}
	return written, store.GuaranteedUpdate(ctx, key, written, true, nil, update, nil)
}

func encode(input io.Reader, output *json.Encoder) error {
	lines := json.NewDecoder(input)
	for {
		var one json.RawMessage
		if err := lines.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		forms, err := encodeOne(one)
		if err != nil {
			return fmt.Errorf("%s: %w", one, err)
		}
		if err := output.Encode(forms); err != nil {
			return err
		}
	}
}

func encodeOne(text []byte) (forms encoded, err error) {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	object, kind, err := strict.Decode(text, nil, nil)
	if err != nil {
		return forms, err
	}
	if forms.JSON, err = runtime.Encode(scheme.Codecs.LegacyCodec(kind.GroupVersion()), object); err != nil {
		return forms, err
	}
	if forms.Compact, err = runtime.Encode(codecFor(kind.GroupVersion()), object); err != nil {
		return forms, err
	}
	read, err := runtime.Decode(scheme.Codecs.UniversalDecoder(), forms.Compact)
	if err != nil {
		return forms, err
	}
	preferred := scheme.Scheme.PrioritizedVersionsForGroup(kind.Group)[0]
	if forms.Served, err = runtime.Encode(scheme.Codecs.LegacyCodec(preferred), read); err != nil {
		return forms, err
	}
	if forms.ServedCompact, err = runtime.Encode(codecFor(preferred), read); err != nil {
		return forms, err
	}
	accessor, err := meta.Accessor(read)
	if err != nil {
		return forms, err
	}
	accessor.SetResourceVersion(answeredVersion)
	forms.Answered, err = runtime.Encode(codecFor(preferred), read)
	return forms, err
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"

	fuzz "github.com/google/gofuzz"
	definitions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

// request is one line of input of the command mirror: an object in both encodings, or a wish for random ones.
type request struct {
	JSON    json.RawMessage `json:"json"`
	Compact []byte          `json:"compact"`

	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Random is how many objects of the kind to make up, from Seed.
	Random int   `json:"random"`
	Seed   int64 `json:"seed"`
}

// mirrored is one object in the forms of the reference.
type mirrored struct {
	// JSON is the object that was read from the compact bytes.
	JSON json.RawMessage `json:"json"`
	// Compact is that object again in bytes, and FromJSON the one that was read from the JSON.
	Compact  []byte `json:"compact"`
	FromJSON []byte `json:"fromJSON,omitempty"`
}

// answer has either one object or those that were made up.
type answer struct {
	*mirrored
	Random []mirrored `json:"random,omitempty"`
	// Error says why the reference does not read the object.
	Error string `json:"error,omitempty"`
}

func mirror(input io.Reader, output *json.Encoder) error {
	lines := json.NewDecoder(input)
	for {
		var one request
		if err := lines.Decode(&one); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		answered, err := mirrorOne(one)
		if err != nil {
			answered = answer{Error: err.Error()}
		}
		if err := output.Encode(answered); err != nil {
			return err
		}
	}
}

func mirrorOne(one request) (answer, error) {
	if one.Random > 0 {
		objects, err := randomObjects(schema.FromAPIVersionAndKind(one.APIVersion, one.Kind), one.Random, one.Seed)
		return answer{Random: objects}, err
	}
	back, err := mirrorCompact(one.Compact)
	if err != nil {
		return answer{}, err
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	object, kind, err := strict.Decode(one.JSON, nil, nil)
	if err != nil {
		return answer{}, fmt.Errorf("JSON: %w", err)
	}
	escapeEmbedded(reflect.ValueOf(object))
	back.FromJSON, err = runtime.Encode(codecFor(kind.GroupVersion()), object)
	return answer{mirrored: &back}, err
}

func mirrorCompact(encoded []byte) (back mirrored, err error) {
	object, kind, err := scheme.Codecs.UniversalDeserializer().Decode(encoded, nil, nil)
	if err != nil {
		return back, fmt.Errorf("compact: %w", err)
	}
	if back.Compact, err = runtime.Encode(codecFor(kind.GroupVersion()), object); err != nil {
		return back, err
	}
	// Decoding removes the kind from the object; JSON needs it.
	object.GetObjectKind().SetGroupVersionKind(*kind)
	back.JSON, err = json.Marshal(object)
	return back, err
}

// escapeEmbedded writes the JSON that a definition embeds as the reference stores it: its conversion of definitions, by
// way of the internal version, escapes what is special in HTML.
func escapeEmbedded(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			escapeEmbedded(value.Elem())
		}
	case reflect.Struct:
		if own, is := value.Addr().Interface().(*definitions.JSON); is {
			var escaped bytes.Buffer
			json.HTMLEscape(&escaped, own.Raw)
			own.Raw = escaped.Bytes()
			return
		}
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				escapeEmbedded(value.Field(i))
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			escapeEmbedded(value.Index(i))
		}
	case reflect.Map:
		for _, name := range value.MapKeys() {
			item := reflect.New(value.Type().Elem()).Elem()
			item.Set(value.MapIndex(name))
			escapeEmbedded(item)
			value.SetMapIndex(name, item)
		}
	}
}

// randomObjects fills every field of the Go type now and then, also those that the server's schemas do not have.
func randomObjects(kind schema.GroupVersionKind, count int, seed int64) ([]mirrored, error) {
	filler := fuzz.NewWithSeed(seed).NilChance(0.6).NumElements(0, 2).MaxDepth(12).Funcs(fillers...)
	var objects []mirrored
	for range count {
		object, err := scheme.Scheme.New(kind)
		if err != nil {
			return nil, err
		}
		filler.Fuzz(object)
		encoded, err := runtime.Encode(codecFor(kind.GroupVersion()), object)
		if err != nil {
			return nil, err
		}
		one, err := mirrorCompact(encoded)
		if err != nil {
			return nil, err
		}
		objects = append(objects, one)
	}
	return objects, nil
}

// texts has what JSON must escape, what UTF-8 and UTF-16 sort differently, and names that JavaScript objects inherit.
var texts = []string{"", "a", "10", "9", "a/b.c", "ä€", "\U0001F600", "\uFFFD", "</x>&", "\"\\\n\t\u2028", "__proto__", "constructor"}

var fillers = []any{
	func(text *string, c fuzz.Continue) { *text = texts[c.Intn(len(texts))] },
	func(*metav1.TypeMeta, fuzz.Continue) {},
	// JSON and most answers cannot tell empty bytes from none.
	func(bytes *[]byte, c fuzz.Continue) {
		if c.RandBool() {
			*bytes = []byte{0, byte(c.Intn(256)), 255}
		}
	},
	// Nothing is served without a verb; no list and an empty one differ.
	func(verbs *metav1.Verbs, c fuzz.Continue) { *verbs = metav1.Verbs{"get", "list"}[:c.Intn(2)+1] },
	func(duration *metav1.Duration, c fuzz.Continue) {
		duration.Duration = time.Duration(c.Int63()) - time.Duration(c.Int63())
	},
	func(moment *metav1.MicroTime, c fuzz.Continue) {
		moment.Time = time.Unix(c.Int63n(1<<33), c.Int63n(1_000_000)*1000)
	},
	func(quantity *resource.Quantity, c fuzz.Continue) {
		formats := []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent}
		*quantity = *resource.NewMilliQuantity(c.Int63n(1<<40)-1<<20, formats[c.Intn(len(formats))])
	},
	func(value *intstr.IntOrString, c fuzz.Continue) {
		if c.RandBool() {
			*value = intstr.FromInt32(int32(c.Uint32()))
		} else {
			*value = intstr.FromString(c.RandString())
		}
	},
	func(object *runtime.RawExtension, c fuzz.Continue) { object.Raw = embedded(c) },
	func(fields *metav1.FieldsV1, c fuzz.Continue) { fields.Raw = embedded(c) },
	func(value *definitions.JSON, c fuzz.Continue) { value.Raw = embedded(c) },
	// What is too deep stays empty, which a definition's unions never are: they hold one of their members.
	func(props *definitions.JSONSchemaProps, c fuzz.Continue) {
		c.FuzzNoCustom(props)
		if props.Items != nil && props.Items.Schema == nil {
			props.Items = nil
		}
		for name, dependency := range props.Dependencies {
			if dependency.Schema == nil && dependency.Property == nil {
				delete(props.Dependencies, name)
			}
		}
	},
	func(union *definitions.JSONSchemaPropsOrBool, c fuzz.Continue) {
		union.Allows = c.RandBool()
		if union.Allows && c.RandBool() {
			c.Fuzz(&union.Schema)
		}
	},
	func(union *definitions.JSONSchemaPropsOrArray, c fuzz.Continue) {
		union.Schema = &definitions.JSONSchemaProps{}
		c.Fuzz(union.Schema)
	},
	func(union *definitions.JSONSchemaPropsOrStringArray, c fuzz.Continue) {
		if c.RandBool() {
			union.Property = []string{"a", "b"}
			return
		}
		union.Schema = &definitions.JSONSchemaProps{}
		c.Fuzz(union.Schema)
	},
}

// embedded makes JSON that a type keeps as it is, without what some writers escape and others do not.
func embedded(c fuzz.Continue) []byte {
	values := []string{`{"f:a":{".":{},"k:{\"name\":\"ä\"}":{}}}`, `{}`, `{"a":[true,-1,null,1.5,"€"]}`}
	return []byte(values[c.Intn(len(values))])
}

// Reads texts as kube-apiserver reads YAML: one JSON string per line in, one answer per line out.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	// The document as JSON text.
	Value string `json:"value,omitempty"`
	// Why it cannot be read.
	Fault string `json:"fault,omitempty"`
	// What strict reading finds besides: keys that are set twice.
	Repeated string `json:"repeated,omitempty"`
}

func main() {
	texts := json.NewDecoder(bufio.NewReader(os.Stdin))
	answers := bufio.NewWriter(os.Stdout)
	defer answers.Flush()
	for {
		var text string
		if texts.Decode(&text) != nil {
			return
		}
		line, err := json.Marshal(read([]byte(text)))
		if err != nil {
			panic(err)
		}
		answers.Write(append(line, '\n'))
	}
}

func read(text []byte) answer {
	value, err := yaml.YAMLToJSON(text)
	if err != nil {
		return answer{Fault: err.Error()}
	}
	_, strict := yaml.YAMLToJSONStrict(text)
	if strict != nil {
		return answer{Value: string(value), Repeated: strict.Error()}
	}
	return answer{Value: string(value)}
}

// Renders a chart as Helm does: Go's own templates with sprig's functions, and those that Helm adds. Prints a JSON object,
// the text of each template by its file.
//
//	render CHART [VALUES.json]
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type values = map[string]interface{}

// files is what a chart can read of its folder.
type files string

func (folder files) Get(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(string(folder), name))
	return string(content), err
}

func main() {
	if err := render(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(args []string) error {
	folder := args[0]
	given, chart := values{}, values{}
	for file, into := range map[string]*values{"values.yaml": &given, "Chart.yaml": &chart} {
		content, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		if err := yaml.Unmarshal(content, into); err != nil {
			return err
		}
	}
	if len(args) > 1 {
		own := values{}
		if err := json.Unmarshal([]byte(args[1]), &own); err != nil {
			return err
		}
		overlay(given, own)
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	all.Funcs(functions)

	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := all.New(filepath.Base(path)).Parse(string(content)); err != nil {
			return err
		}
	}
	data := values{
		"Values":  given,
		"Chart":   values{"Name": chart["name"], "Version": chart["version"], "AppVersion": chart["appVersion"]},
		"Release": values{"Name": "release", "Namespace": "default", "Service": "Helm"},
		"Files":   files(folder),
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, name, data); err != nil {
			return err
		}
		rendered[name] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	return json.NewEncoder(os.Stdout).Encode(rendered)
}

// overlay sets what is given, deeply.
func overlay(base values, own values) {
	for name, value := range own {
		below, isObject := value.(values)
		standing, wasObject := base[name].(values)
		if isObject && wasObject {
			overlay(standing, below)
		} else {
			base[name] = value
		}
	}
}

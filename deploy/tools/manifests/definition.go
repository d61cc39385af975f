package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	kjson "sigs.k8s.io/json"
)

// definition is one version of a custom resource, as its CustomResourceDefinition describes it.
type definition struct {
	namespaced bool
	structure  *structuralschema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator // nil if it has none
}

// readDefinitions reads the served versions of every CustomResourceDefinition in the YAML files of folders.
func readDefinitions(folders []string) (map[schema.GroupVersionKind]*definition, error) {
	all := map[schema.GroupVersionKind]*definition{}

	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			return nil, errors.Join(fmt.Errorf("no definitions in %s", folder), err)
		}

		before := len(all)
		for _, file := range files {
			if err := readFile(file, all); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("no definitions in %s", folder)
		}
	}

	return all, nil
}

func readFile(file string, all map[schema.GroupVersionKind]*definition) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was read

	for dec := utilyaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		var crd apiextensionsv1.CustomResourceDefinition
		if err := dec.Decode(&crd); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if crd.Kind != "CustomResourceDefinition" {
			// Other kinds lie in the folder too, such as a policy that guards upgrades.
			continue
		}

		for _, v := range crd.Spec.Versions {
			if !v.Served {
				continue
			}
			d, err := newDefinition(v.Schema.OpenAPIV3Schema)
			if err != nil {
				return fmt.Errorf("%s %s: %w", crd.Name, v.Name, err)
			}
			d.namespaced = crd.Spec.Scope == apiextensionsv1.NamespaceScoped
			all[schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}] = d
		}
	}
}

func newDefinition(written *apiextensionsv1.JSONSchemaProps) (*definition, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(written, &props, nil); err != nil {
		return nil, err
	}
	structure, err := structuralschema.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return nil, err
	}

	return &definition{
		structure: structure,
		schema:    validator,
		rules:     cel.NewValidator(structure, true, apiservercel.PerCallLimit),
	}, nil
}

// judge does to a custom resource, given as JSON, what the API server does when it is created.
func (d *definition) judge(text []byte) (findings []string) {
	var content map[string]any
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return []string{err.Error()}
	}

	for _, path := range pruning.PruneWithOptions(content, d.structure, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		findings = append(findings, fmt.Sprintf("unknown field %q", path))
	}
	defaulting.Default(content, d.structure)
	var all field.ErrorList
	all = append(all,
		apivalidation.ValidateObjectMetaAccessor(&unstructured.Unstructured{Object: content}, d.namespaced,
			apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))...)
	all = append(all, validation.ValidateCustomResource(nil, content, d.schema)...)
	all = append(all, listtype.ValidateListSetsAndMaps(nil, d.structure, content)...)
	if d.rules != nil {
		broken, _ := d.rules.Validate(context.Background(), nil, d.structure, content, nil,
			apiservercel.RuntimeCELCostBudget)
		all = append(all, broken...)
	}

	for _, e := range all {
		findings = append(findings, e.Error())
	}

	return findings
}

// strictJSON reads the fields of v from text; fields that v does not have are left alone, fields that are there twice
// are an error.
func strictJSON(text []byte, v any) error {
	strict, err := kjson.UnmarshalStrict(text, v, kjson.DisallowDuplicateFields)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}

	return err
}

// go/types as a judge: one JSON question on stdin, one JSON answer on stdout.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

type question struct {
	What   string          `json:"what"`
	Root   string          `json:"root"`
	Files  []string        `json:"files"`
	Places [][]interface{} `json:"places"`
}

var (
	fset    = token.NewFileSet()
	root    string
	module  string
	info    = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	checked = map[string]*types.Package{}
	parsed  = map[string][]*ast.File{}
	fields  = map[token.Pos]bool{} // of types that a package names; not of those inside functions
	std     = importer.ForCompiler(fset, "source", nil)
)

type local struct{}

func (local) Import(path string) (*types.Package, error) {
	if path == module || strings.HasPrefix(path, module+"/") {
		return check(filepath.Join(root, strings.TrimPrefix(strings.TrimPrefix(path, module), "/")))
	}
	if strings.Contains(strings.Split(path, "/")[0], ".") {
		return nil, fmt.Errorf("%s is not here", path)
	}
	return std.Import(path)
}

func check(dir string) (*types.Package, error) {
	if found, ok := checked[dir]; ok {
		return found, nil
	}
	groups := map[string][]*ast.File{}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, path := range paths {
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if file == nil || err != nil {
			continue
		}
		groups[file.Name.Name] = append(groups[file.Name.Name], file)
		parsed[dir] = append(parsed[dir], file)
		for _, made := range file.Decls {
			if general, ok := made.(*ast.GenDecl); ok {
				for _, spec := range general.Specs {
					note(spec)
				}
			}
		}
	}
	config := &types.Config{Importer: local{}, Error: func(error) {}, FakeImportC: true}
	checked[dir] = types.NewPackage(dir, "none")
	for name, files := range groups {
		if strings.HasSuffix(name, "_test") {
			continue
		}
		made, _ := config.Check(dir, fset, files, info)
		checked[dir] = made
	}
	for name, files := range groups {
		if strings.HasSuffix(name, "_test") {
			config.Check(dir+"_test", fset, files, info)
		}
	}
	return checked[dir], nil
}

func note(spec ast.Spec) {
	named, ok := spec.(*ast.TypeSpec)
	if !ok {
		return
	}
	if built, ok := named.Type.(*ast.StructType); ok {
		for _, field := range built.Fields.List {
			for _, name := range field.Names {
				fields[name.Pos()] = true
			}
		}
	}
}

func place(at token.Pos) []interface{} {
	where := fset.Position(at)
	name, _ := filepath.Rel(root, where.Filename)
	return []interface{}{filepath.ToSlash(name), where.Line, where.Column}
}

func kind(object types.Object) string {
	switch known := object.(type) {
	case *types.Func:
		if known.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "function"
	case *types.TypeName:
		if known.Parent() != nil && known.Pkg() != nil && known.Parent() == known.Pkg().Scope() {
			return "type"
		}
	case *types.Var:
		if known.IsField() {
			if fields[known.Pos()] {
				return "field"
			}
			return ""
		}
		if known.Pkg() != nil && known.Parent() == known.Pkg().Scope() {
			return "variable"
		}
	case *types.Const:
		if known.Pkg() != nil && known.Parent() == known.Pkg().Scope() {
			return "constant"
		}
	}
	return ""
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	root, _ = filepath.EvalSymlinks(asked.Root)
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	if found := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindStringSubmatch(string(text)); found != nil {
		module = found[1]
	}
	filepath.Walk(root, func(path string, at os.FileInfo, err error) error {
		if err == nil && at.IsDir() && at.Name() != ".git" && at.Name() != "testdata" {
			check(path)
		}
		return nil
	})
	answer := [][]interface{}{}
	switch asked.What {
	case "symbols":
		wanted := map[string]bool{}
		for _, name := range asked.Files {
			wanted[name] = true
		}
		for ident, object := range info.Defs {
			if object == nil || ident.Name == "_" {
				continue
			}
			at := place(ident.Pos())
			if named := kind(object); named != "" && wanted[at[0].(string)] {
				answer = append(answer, append(at, ident.Name, named))
			}
		}
	case "references":
		users := map[string][][]interface{}{}
		for ident, object := range info.Uses {
			if object.Pos().IsValid() {
				key := fmt.Sprint(place(object.Pos()))
				users[key] = append(users[key], place(ident.Pos()))
			}
		}
		for _, one := range asked.Places {
			key := fmt.Sprint([]interface{}{one[0], int(one[1].(float64)), int(one[2].(float64))})
			found := []interface{}{}
			for _, use := range users[key] {
				found = append(found, use)
			}
			answer = append(answer, found)
		}
	case "edges":
		for _, files := range parsed {
			for _, file := range files {
				for _, spec := range file.Imports {
					path := strings.Trim(spec.Path.Value, `"`)
					if path != module && !strings.HasPrefix(path, module+"/") {
						continue
					}
					dir := filepath.Join(root, strings.TrimPrefix(path, module))
					for _, target := range parsed[dir] {
						if at := place(target.Pos()); !strings.HasSuffix(at[0].(string), "_test.go") {
							answer = append(answer, []interface{}{place(file.Pos())[0], at[0]})
						}
					}
				}
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(answer)
}

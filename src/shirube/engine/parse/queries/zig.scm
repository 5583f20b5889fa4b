; Zig: types are values, so a container's name is that of the constant it is bound to.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function

(variable_declaration . (identifier) @name "=" . (struct_declaration)) @definition.struct
(variable_declaration . (identifier) @name "=" . (union_declaration)) @definition.struct
(variable_declaration . (identifier) @name "=" . (opaque_declaration)) @definition.struct
(variable_declaration . (identifier) @name "=" . (enum_declaration)) @definition.enum
(variable_declaration . (identifier) @name "=" . (error_set_declaration)) @definition.enum

; the other constants and variables of the file and of its containers; an import is no definition
([
  (source_file (variable_declaration "const" . (identifier) @name) @definition.constant)
  (struct_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
  (enum_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
  (union_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
]
  (#not-match? @definition.constant "^[^=]*=\\s*@import\\b")
  (#not-match? @definition.constant "^[^=]*=\\s*((packed|extern)\\s*)?(struct|union|enum|opaque|error)\\b"))
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)

(test_declaration . (string (string_content) @name)) @definition.test
(test_declaration . (identifier) @name) @definition.test
(test_declaration "test" @name . (block)) @definition.test

((builtin_function
  (builtin_identifier) @_builtin
  (arguments . (string (string_content) @module))) @import
  (#eq? @_builtin "@import"))

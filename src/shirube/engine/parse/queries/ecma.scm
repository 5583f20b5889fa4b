; What JavaScript and TypeScript share: names that a module exports or binds, test blocks, all forms of import.
((expression_statement
  (assignment_expression
    left: (member_expression object: (_) @_exports property: (property_identifier) @name)
    right: [
      (number) (string) (template_string) (true) (false) (null) (array) (object) (regex) (new_expression)
      (call_expression) (member_expression) (binary_expression) (unary_expression) (ternary_expression) (class)
    ] @_value)) @definition.constant
  (#any-of? @_exports "exports" "module.exports")
  (#not-match? @_value "^require\\s*\\(\\s*['\"`][^'\"`]*['\"`]\\s*\\)(\\.[\\w$]+)*$"))

((expression_statement
  (call_expression
    function: (identifier) @_block
    arguments: (arguments
      . (string (string_fragment) @name)
      [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.test
  (#any-of? @_block "describe" "it" "test" "suite"))

; what is bound to require(…) is imported, not defined
((program
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.constant)
  (#not-match? @_value "^require\\s*\\(\\s*['\"`][^'\"`]*['\"`]\\s*\\)(\\.[\\w$]+)*$"))
(program
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name !value)) @definition.variable)
((program
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^require\\s*\\(\\s*['\"`][^'\"`]*['\"`]\\s*\\)(\\.[\\w$]+)*$"))
(program
  (variable_declaration (variable_declarator name: (identifier) @name !value)) @definition.variable)
((program
  (variable_declaration (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^require\\s*\\(\\s*['\"`][^'\"`]*['\"`]\\s*\\)(\\.[\\w$]+)*$"))
(program
  (export_statement
    declaration: (lexical_declaration
      kind: "const"
      (variable_declarator name: (identifier) @name))) @definition.constant)
(program
  (export_statement
    declaration: (lexical_declaration
      kind: "let"
      (variable_declarator name: (identifier) @name))) @definition.variable)

(import_statement) @import
(export_statement source: (string)) @import
((call_expression
  function: (identifier) @_require
  arguments: (arguments . (string (string_fragment) @module))) @import
  (#eq? @_require "require"))
((variable_declarator
    name: (identifier) @whole
    value: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @module))) @import)
  (#eq? @_require "require"))
((variable_declarator
    name: (object_pattern
      [(shorthand_property_identifier_pattern) @item (pair_pattern key: (property_identifier) @item)])
    value: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @module))) @import)
  (#eq? @_require "require"))
((member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @module))) @import
    property: (property_identifier) @item)
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @module))) @import

; TypeScript and TSX: what JavaScript has, and types, interfaces, enums, namespaces and signatures.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (type_identifier) @name) @definition.class
(export_statement
  declaration: [
    (function_declaration name: (identifier) @name)
    (generator_function_declaration name: (identifier) @name)
  ]) @definition.function
(export_statement declaration: (class_declaration name: (type_identifier) @name)) @definition.class

; const f = () => {} is a function, const K = class {} a class
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function
(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ])) @definition.function
(lexical_declaration
  (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(export_statement
  declaration: (lexical_declaration
    (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]))) @definition.function

(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.field
(pair
  key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function
(class_body (decorator) @attribute)

((expression_statement
  (assignment_expression
    left: (member_expression
      object: (member_expression object: (identifier) @scope property: (property_identifier) @_proto)
      property: (property_identifier) @name)
    right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)])) @definition.method
  (#eq? @_proto "prototype"))
; till.ring = function () {} is a member, exports.ring = … is not
((expression_statement
  (assignment_expression
    left: (member_expression object: (identifier) @scope property: (property_identifier) @name)
    right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)])) @definition.function
  (#not-match? @scope "^(exports|module)$"))
(expression_statement
  (assignment_expression
    left: (member_expression property: (property_identifier) @name)
    right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)])) @definition.function

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

(abstract_class_declaration name: (type_identifier) @name) @definition.class
(export_statement declaration: (abstract_class_declaration name: (type_identifier) @name)) @definition.class
(interface_declaration name: (type_identifier) @name) @definition.interface
(export_statement declaration: (interface_declaration name: (type_identifier) @name)) @definition.interface
(type_alias_declaration name: (type_identifier) @name) @definition.type
(export_statement declaration: (type_alias_declaration name: (type_identifier) @name)) @definition.type
(enum_declaration name: (identifier) @name) @definition.enum
(export_statement declaration: (enum_declaration name: (identifier) @name)) @definition.enum
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(export_statement declaration: (internal_module name: (_) @name)) @definition.namespace

(function_signature name: (identifier) @name) @definition.function
(export_statement declaration: (function_signature name: (identifier) @name)) @definition.function
(ambient_declaration (function_signature name: (identifier) @name)) @definition.function
(ambient_declaration
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name))) @definition.constant
(ambient_declaration
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name))) @definition.variable
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(ambient_declaration (class_declaration name: (type_identifier) @name)) @definition.class
(ambient_declaration (module name: (_) @name)) @definition.namespace
(abstract_method_signature name: (property_identifier) @name) @definition.method
(interface_body (method_signature name: (property_identifier) @name) @definition.method)
(interface_body (property_signature name: (property_identifier) @name) @definition.field)

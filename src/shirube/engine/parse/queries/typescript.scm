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

; include ecma_bindings
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.field
(class_body (decorator) @attribute)

(expression_statement
  (assignment_expression
    left: (member_expression property: (property_identifier) @name)
    right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)])) @definition.function

; include ecma

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

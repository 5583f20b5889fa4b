; C++: what C has, and classes, namespaces, templates, members defined outside their class.
(comment) @comment

(function_definition
  declarator: [
    (function_declarator
      declarator: [
        (identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name) (template_function)
      ] @name)
    (pointer_declarator
      declarator: (function_declarator
        declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))
    (pointer_declarator
      declarator: (pointer_declarator
        declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier)] @name)))
    (reference_declarator
      (function_declarator
        declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))
    (operator_cast) @name
  ]) @definition.function
(template_declaration
  (function_definition
    declarator: [
      (function_declarator
        declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)
      (pointer_declarator
        declarator: (function_declarator
          declarator: [(identifier) (field_identifier) (qualified_identifier)] @name))
      (reference_declarator
        (function_declarator
          declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))
    ])) @definition.function

(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (_) @name body: (_)) @definition.class
(template_declaration (class_specifier name: (_) @name body: (_))) @definition.class
(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type
(struct_specifier name: (_) @name body: (_)) @definition.struct
(template_declaration (struct_specifier name: (_) @name body: (_))) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(field_declaration_list
  [
    (declaration
      declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name))
    (field_declaration
      declarator: [
        (function_declarator declarator: [(field_identifier) (operator_name)] @name)
        (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
        (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
      ])
  ] @definition.method)
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (reference_declarator (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
  ]) @definition.field

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(translation_unit
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
      (reference_declarator (function_declarator declarator: (identifier) @name))
    ]) @definition.function)
(declaration_list
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
      (reference_declarator (function_declarator declarator: (identifier) @name))
    ]) @definition.function)
(preproc_ifdef
  (declaration
    declarator: [
      (function_declarator declarator: (identifier) @name)
      (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    ]) @definition.function)
(translation_unit
  (declaration
    declarator: [(identifier) @name (init_declarator declarator: [(identifier) (qualified_identifier)] @name)
      (init_declarator declarator: (array_declarator declarator: (identifier) @name))]) @definition.variable)
(declaration_list
  (declaration
    declarator: [(identifier) @name (init_declarator declarator: (identifier) @name)]) @definition.variable)

(preproc_include path: [(string_literal) (system_lib_string)] @module) @import

; PHP: classes and their kin, functions, constants, properties, `use` and `require`.
(comment) @comment

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(namespace_definition name: (namespace_name) @name body: (_)) @definition.namespace

(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method

(const_declaration (const_element . (name) @name)) @definition.constant
((expression_statement
  (function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument (string (string_content) @name))))) @definition.constant
  (#eq? @_define "define"))
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(enum_case name: (name) @name) @definition.constant
(program
  (expression_statement
    (assignment_expression
      left: (variable_name (name) @name)
      right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])) @definition.function)

(namespace_use_declaration) @import
[
  (require_expression)
  (require_once_expression)
  (include_expression)
  (include_once_expression)
] @import

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
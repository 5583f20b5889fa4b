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

(method_definition name: [
  (property_identifier) @name
  (private_property_identifier) @name
  (string (string_fragment) @name)
  (computed_property_name [(identifier) @name (member_expression property: (property_identifier) @name)])
]) @definition.method

; keys of object literals: functions, also those handed to a maker, and what holds one directly or one level down
(pair
  key: [
    (property_identifier) @name
    (string (string_fragment) @name)
    (computed_property_name [(identifier) @name (member_expression property: (property_identifier) @name)])
  ]
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
    (call_expression
      function: (identifier)
      arguments: (arguments [
        (arrow_function body: (statement_block) @body)
        (function_expression body: (_) @body)
      ]))
  ]) @definition.function
(pair
  key: [
    (property_identifier) @name
    (string (string_fragment) @name)
    (computed_property_name [(identifier) @name (member_expression property: (property_identifier) @name)])
  ]
  value: (object [
    (method_definition)
    (pair value: [
      (arrow_function)
      (function_expression)
      (generator_function)
      (call_expression
        function: (identifier)
        arguments: (arguments [(arrow_function body: (statement_block)) (function_expression)]))
      (object [(method_definition) (pair value: [(arrow_function) (function_expression) (generator_function)])])
    ])
  ]) @body) @definition.property
; in a table of a module, a name in capitals, in quotes or computed that gets what another name stands for
((program
  (lexical_declaration
    (variable_declarator
      value: (object
        (pair
          key: [
            (property_identifier) @name
            (string (string_fragment) @name)
            (computed_property_name [(identifier) @name (member_expression property: (property_identifier) @name)])
          ] @_key
          value: (identifier)) @definition.property))))
  (#match? @_key "^(['\"\\[]|[A-Z][A-Z0-9_]*$)"))
((program
  (export_statement
    (lexical_declaration
      (variable_declarator
        value: (object
          (pair
            key: [
              (property_identifier) @name
              (string (string_fragment) @name)
              (computed_property_name [(identifier) @name (member_expression property: (property_identifier) @name)])
            ] @_key
            value: (identifier)) @definition.property)))))
  (#match? @_key "^(['\"\\[]|[A-Z][A-Z0-9_]*$)"))

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

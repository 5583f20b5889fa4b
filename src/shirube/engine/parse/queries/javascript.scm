; JavaScript: functions however they are bound, classes, names bound in a module, test blocks, all forms of import.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (identifier) @name) @definition.class
(export_statement
  declaration: [
    (function_declaration name: (identifier) @name)
    (generator_function_declaration name: (identifier) @name)
  ]) @definition.function
(export_statement declaration: (class_declaration name: (identifier) @name)) @definition.class

; include ecma_bindings
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @definition.field

((expression_statement
  (assignment_expression
    left: (member_expression property: (property_identifier) @name) @_left
    right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)])) @definition.function
  (#not-eq? @_left "module.exports"))
(expression_statement
  (assignment_expression
    left: (member_expression property: (property_identifier) @name)
    right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)])) @definition.function
; module.exports = function till() {} and module.exports = exports = class Till {} are known by their own names
((assignment_expression
  left: (_) @_left
  right: (function_expression name: (identifier) @name body: (_) @body) @definition.function)
  (#any-of? @_left "module.exports" "exports"))
((assignment_expression
  left: (_) @_left
  right: (class name: (identifier) @name body: (_) @body) @definition.class)
  (#any-of? @_left "module.exports" "exports" "module.exports.default" "exports.default"))

; include ecma

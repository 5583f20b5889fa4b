; Haskell: a signature and every equation of a function are definitions of one name; `where` and `let` are local.
[(comment) (haddock)] @comment

(header module: (module) @name) @definition.module

(declarations
  [
    (signature name: (variable) @name)
    (signature name: (prefix_id (operator) @name))
    (function name: (variable) @name)
    (function name: (prefix_id (operator) @name))
    (function (infix operator: (operator) @name))
    (function (infix operator: (infix_id (variable) @name)))
    (bind name: (variable) @name)
    (bind name: (prefix_id (operator) @name))
  ] @definition.function)
; a mistake may leave the declarations without their list
(haskell
  (ERROR
    [
      (signature name: (variable) @name)
      (function name: (variable) @name)
      (bind name: (variable) @name)
    ] @definition.function))
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @definition.constructor

(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type

(data_constructor constructor: (prefix name: (constructor) @name)) @definition.constructor
(data_constructor constructor: (record name: (constructor) @name)) @definition.constructor
(newtype_constructor name: (constructor) @name) @definition.constructor
(gadt_constructor name: (constructor) @name) @definition.constructor
(field name: (field_name (variable) @name)) @definition.field

(class name: (_) @name declarations: (_)? @body) @definition.class
; a default equation repeats a name that its class has signed
(class_declarations
  [
    (signature name: (variable) @name)
    (signature name: (prefix_id (operator) @name))
    (signature names: (binding_list name: (variable) @name))
  ] @definition.method)

(instance name: (_) @name patterns: (type_patterns) @scope declarations: (_)? @body) @definition.impl
(instance_declarations
  [
    (function name: (variable) @name)
    (function name: (prefix_id (operator) @name))
    (function (infix operator: (operator) @name))
    (bind name: (variable) @name)
    (bind name: (prefix_id (operator) @name))
  ] @definition.method)

(import module: (module) @module) @import
((import
  module: (module) @module
  names: (import_list
    name: (import_name
      [
        variable: (variable) @item
        type: (name) @item
        operator: (prefix_id (operator) @item)
      ]))) @import
  (#not-match? @import "\\shiding\\s*[(]"))

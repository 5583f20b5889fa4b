; Scala: definitions of both brace and indentation style; what a block holds is local, apart from functions.
[(comment) (block_comment)] @comment

(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(enum_definition name: (_) @name) @definition.enum
(package_clause name: (package_identifier) @name body: (_)) @definition.namespace
(type_definition name: (type_identifier) @name) @definition.type

((function_definition name: (_) @name) @definition.function
  (#not-eq? @name "this"))
((function_definition name: (_) @name) @definition.constructor
  (#eq? @name "this"))
(function_declaration name: (_) @name) @definition.function

; a given without a name is known by the type it gives
(given_definition name: (identifier) @name) @definition.object
(given_definition !name return_type: [(type_identifier) (generic_type)] @name) @definition.impl

(template_body
  [
    (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)])
    (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)])
    (val_declaration name: (identifier) @name)
    (var_declaration name: (identifier) @name)
  ] @definition.field)
(with_template_body
  [
    (val_definition pattern: (identifier) @name)
    (var_definition pattern: (identifier) @name)
  ] @definition.field)
(enum_body
  [
    (val_definition pattern: (identifier) @name)
    (var_definition pattern: (identifier) @name)
  ] @definition.field)
(compilation_unit
  (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.constant)
(compilation_unit
  (var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable)

; a path has no node of its own: the statement is read as text
(import_declaration) @import

; SQL: what CREATE makes, with its schema as scope (a function's is left out, or it would be called a method).
; An index is a key, a trigger a rule, a schema or a database a namespace.
[(comment) (marginalia)] @comment

(create_table
  [(keyword_table) (keyword_exists)]
  . (object_reference schema: (_)? @scope name: (_) @name)) @definition.table
(create_view
  [(keyword_view) (keyword_exists)]
  . (object_reference schema: (_)? @scope name: (_) @name)) @definition.view
(create_materialized_view
  [(keyword_view) (keyword_exists)]
  . (object_reference schema: (_)? @scope name: (_) @name)) @definition.view
((create_function (keyword_function) . (object_reference name: (_) @name)) @definition.function
  (#not-match? @name "^[iI][fF]$"))
((create_type (keyword_type) . (object_reference schema: (_)? @scope name: (_) @name)) @definition.type
  (#not-match? @name "^[iI][fF]$"))
(create_index column: (_) @name) @definition.key
(create_trigger
  [(keyword_trigger) (keyword_exists)]
  . (object_reference schema: (_)? @scope name: (_) @name)) @definition.rule
(create_sequence
  [(keyword_sequence) (keyword_exists)]
  . (object_reference schema: (_)? @scope name: (_) @name)) @definition.variable
(create_schema [(keyword_schema) (keyword_exists)] . (identifier) @name) @definition.namespace
(create_database [(keyword_database) (keyword_exists)] . (identifier) @name) @definition.namespace

; dialects the grammar does not know still say what they create
(ERROR
  (keyword_create) . (keyword_table) . (keyword_if)? . (keyword_not)? . (keyword_exists)?
  . (object_reference name: (_) @name) @definition.table)
(ERROR (keyword_create) (keyword_view) . (object_reference name: (_) @name) @definition.view)
(ERROR (keyword_create) (keyword_function) . (object_reference name: (_) @name) @definition.function)

; Python: functions and classes anywhere, names bound in a module (its branches too) or a class, docstrings, imports.
(comment) @comment

(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(decorated_definition definition: (function_definition name: (identifier) @name)) @definition.function
(decorated_definition definition: (class_definition name: (identifier) @name)) @definition.class

(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(module (expression_statement (assignment left: (pattern_list (identifier) @name))) @definition.variable)
(module (expression_statement (assignment right: (assignment left: (identifier) @name))) @definition.variable)
(module
  [
    (if_statement (block (expression_statement (assignment left: (identifier) @name)) @definition.variable))
    (if_statement (_ (block (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
    (try_statement (block (expression_statement (assignment left: (identifier) @name)) @definition.variable))
    (try_statement (_ (block (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
    (with_statement (block (expression_statement (assignment left: (identifier) @name)) @definition.variable))
  ])
(module (type_alias_statement left: (type) @name) @definition.type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @definition.field))

(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))

[(import_statement) (import_from_statement) (future_import_statement)] @import

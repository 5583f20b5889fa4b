; Lua: modules are tables, so a function's name may be `M.foo` or `M:foo`; what a function holds is local.
(comment) @comment

(function_declaration name: [(identifier) (dot_index_expression)] @name) @definition.function
(function_declaration name: (method_index_expression) @name) @definition.method

(chunk
  (assignment_statement
    (variable_list . name: [(identifier) (dot_index_expression)] @name)
    (expression_list . value: (function_definition body: (_)? @body))) @definition.function)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (function_definition body: (_)? @body)))) @definition.function)

(chunk
  (assignment_statement
    (variable_list . name: [(identifier) (dot_index_expression)] @name)
    (expression_list . value: (table_constructor))) @definition.object)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (table_constructor)))) @definition.object)

; functions that a table of the module lists
(chunk
  (assignment_statement
    (expression_list
      (table_constructor
        (field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function))))
(chunk
  (variable_declaration
    (assignment_statement
      (expression_list
        (table_constructor
          (field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function)))))
(chunk
  (return_statement
    (expression_list
      (table_constructor
        (field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function))))

(chunk
  (assignment_statement
    (variable_list . name: [(identifier) (dot_index_expression)] @name)
    (expression_list . value: [(number) (string) (true) (false)])) @definition.variable)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: [(number) (string) (true) (false)]))) @definition.variable)

((function_call
  name: (identifier) @_call
  arguments: (arguments . (string content: (string_content) @module))) @import
  (#eq? @_call "require"))
((function_call
  name: (identifier) @_call
  arguments: (arguments . (identifier) @_wanted . (string content: (string_content) @module))) @import
  (#any-of? @_call "pcall" "xpcall")
  (#eq? @_wanted "require"))

; Ruby: modules, classes, methods, constants, attributes, test blocks; `require` in its forms.
(comment) @comment

(module name: [(constant) (scope_resolution)] @name) @definition.module
(class name: [(constant) (scope_resolution)] @name) @definition.class
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.method
(assignment
  left: (constant) @name
  right: (call
    receiver: (constant) @_maker
    method: (identifier) @_new
    block: (_) @body)
  (#any-of? @_maker "Struct" "Class" "Data" "Module")
  (#any-of? @_new "new" "define")) @definition.class
(assignment left: (constant) @name) @definition.constant
((call
  method: (identifier) @_maker
  arguments: (argument_list (simple_symbol) @name)) @definition.property
  (#any-of? @_maker "attr_accessor" "attr_reader" "attr_writer"))
((call
  method: (identifier) @_block
  arguments: (argument_list . [(string (string_content) @name) (constant) @name (scope_resolution) @name])
  block: (_) @body) @definition.test
  (#any-of? @_block "describe" "context" "it" "test" "feature" "scenario"))

((call method: (identifier) @_require arguments: (argument_list (string))) @import
  (#any-of? @_require "require" "require_relative" "load" "autoload"))

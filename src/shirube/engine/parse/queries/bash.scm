; Bash: functions anywhere, variables of the script itself, files read by `source`.
(comment) @comment

(function_definition name: (word) @name) @definition.function

(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @definition.variable))
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (declaration_command (variable_name) @name) @definition.variable)

((command
  name: (command_name (word) @_command)
  . argument: [(word) (string) (raw_string) (concatenation)] @module) @import
  (#any-of? @_command "source" "."))

; Go: functions, methods under their receiver, types, package-level constants and variables.
(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (pointer_type (type_identifier) @scope)
        (generic_type type: (type_identifier) @scope)
        (pointer_type (generic_type type: (type_identifier) @scope))
      ]))
  name: (field_identifier) @name) @definition.method

(type_spec name: (type_identifier) @name type: (struct_type (_) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(type_declaration . [(type_spec name: (type_identifier) @name) (type_alias name: (type_identifier) @name)] .) @definition.type
(type_spec
  type: (struct_type
    (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field)))
(type_spec type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))

(source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
(source_file (const_declaration . (const_spec (identifier) @name) .) @definition.constant)
(source_file (var_declaration (var_spec (identifier) @name) @definition.variable))
(source_file (var_declaration . (var_spec (identifier) @name) .) @definition.variable)
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @definition.variable)))

(import_spec path: (_) @module) @import

; C: functions and their prototypes, types, members, macros, what a file declares outside functions.
; A declarator is taken as a whole: declarators.py finds the name in it.
(comment) @comment

(function_definition declarator: (_) @declarator) @definition.function

(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: (_) @declarator) @definition.type
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(field_declaration declarator: (_) @declarator) @definition.field

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(declaration declarator: (_) @declarator) @definition.variable

(preproc_include path: [(string_literal) (system_lib_string)] @module) @import

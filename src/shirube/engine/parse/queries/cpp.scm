; C++: what C has, and classes, namespaces, templates, members defined outside their class.
; A declarator is taken as a whole: declarators.py finds the name in it.
(comment) @comment

(function_definition declarator: (_) @declarator) @definition.function
(template_declaration (function_definition declarator: (_) @declarator)) @definition.function

(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (_) @name body: (_)) @definition.class
(template_declaration (class_specifier name: (_) @name body: (_))) @definition.class
(type_definition type: (struct_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: (_) @declarator) @definition.type
(struct_specifier name: (_) @name body: (_)) @definition.struct
(template_declaration (struct_specifier name: (_) @name body: (_))) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(alias_declaration name: (type_identifier) @name) @definition.type
(template_declaration (alias_declaration name: (type_identifier) @name)) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(field_declaration declarator: (_) @declarator) @definition.field

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(declaration declarator: (_) @declarator) @definition.variable
(template_declaration (declaration declarator: (_) @declarator)) @definition.variable

(preproc_include path: [(string_literal) (system_lib_string)] @module) @import

; Kotlin: types, functions, properties; members of a companion belong to its class.
[(line_comment) (block_comment)] @comment

(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration name: (identifier) @name (class_body) @body) @definition.class
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body)? @body) @definition.object
(companion_object name: (identifier) @name (class_body)? @body) @definition.object
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.constructor
(type_alias type: (identifier) @name) @definition.type
(enum_entry . (identifier) @name) @definition.constant

(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(class_parameter ["val" "var"] . (identifier) @name) @definition.property
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)

(import) @import

; TOML: tables, the keys before the first table, and the keys of a table that stands once.
(comment) @comment

(table . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(table_array_element . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(document (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key)
(table (pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key)

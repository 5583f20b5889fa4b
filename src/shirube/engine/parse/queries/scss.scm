; SCSS: as CSS, and mixins, functions and variables of the sheet. The grammar stumbles over `as`, `with`, maps and
; placeholders that are extended; what it calls an error still holds the names.
[(comment) (js_comment)] @comment

(mixin_statement name: (_) @name) @definition.macro
(function_statement name: (_) @name) @definition.function
(ERROR "@mixin" . (identifier) @name @definition.macro)
(ERROR "@function" . (identifier) @name @definition.function)
(rule_set (selectors) @name) @definition.rule

(media_statement . (_) @name) @definition.at_rule
(supports_statement . (_) @name) @definition.at_rule
(keyframes_statement (keyframes_name) @name) @definition.at_rule
(at_rule (at_keyword) @name . (block)) @definition.at_rule
(at_rule
  (at_keyword)
  . [(keyword_query) (feature_query) (binary_query) (unary_query) (parenthesized_query) (ERROR)] @name
  (block)) @definition.at_rule

((stylesheet (declaration (property_name) @name) @definition.variable)
  (#match? @name "^[$]"))
((rule_set
  (selectors) @_theme
  (block (declaration (property_name) @name) @definition.variable))
  (#match? @_theme ":root|:host|html|body|theme")
  (#match? @name "^--"))

(use_statement (string_value) @module) @import
(forward_statement (string_value) @module) @import
(import_statement (string_value) @module) @import
(import_statement (ERROR (string_value) @module)) @import
(import_statement
  (call_expression
    (function_name) @_url
    (arguments . [(string_value) (plain_value)] @module))
  (#eq? @_url "url")) @import
(ERROR ["@use" "@forward"] . [(string_value) @module (ERROR (string_value) @module)]) @import

; CSS: rule sets by their selectors, at-rules with a body, the custom properties of a theme.
(comment) @comment

(rule_set (selectors) @name) @definition.rule

(media_statement . (_) @name) @definition.at_rule
(supports_statement . (_) @name) @definition.at_rule
(scope_statement . (_) @name) @definition.at_rule
(keyframes_statement (keyframes_name) @name) @definition.at_rule
(at_rule (at_keyword) @name . (block)) @definition.at_rule
(at_rule
  (at_keyword)
  . [(keyword_query) (feature_query) (binary_query) (unary_query) (parenthesized_query) (ERROR)] @name
  (block)) @definition.at_rule

((rule_set
  (selectors) @_theme
  (block (declaration (property_name) @name) @definition.variable))
  (#match? @_theme ":root|:host|html|body|theme")
  (#match? @name "^--"))

(import_statement . (string_value) @module) @import
(import_statement
  . (call_expression
    (function_name) @_url
    (arguments . [(string_value) (plain_value)] @module))
  (#eq? @_url "url")) @import

; Elixir: everything is a call, so the name called decides what is defined.
(comment) @comment

; what stands above a function and speaks of it
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments (string)))) @comment
  (#any-of? @_attribute "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @attribute
  (#any-of? @_attribute "spec" "impl" "deprecated" "tag"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments (string) @doc)))
  (#eq? @_attribute "moduledoc"))

((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)? @body) @definition.protocol
  (#eq? @_def "defprotocol"))
((call
  target: (identifier) @_def
  (arguments . (alias) @name (keywords (pair key: (keyword) @_for value: (_) @scope)))
  (do_block)? @body) @definition.impl
  (#eq? @_def "defimpl")
  (#match? @_for "^for:"))
((call target: (identifier) @_def @name) @definition.struct
  (#any-of? @_def "defstruct" "defexception"))

((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (identifier) @name operator: "when")
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator operator: ["+" "-" "*" "/" "++" "--" "<>" "==" "<" ">" "|>" "&&" "||" "|||" "~>" "<~"] @name)
    ])
  (do_block)? @body) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (identifier) @name operator: "when")
      (binary_operator left: (call target: (identifier) @name) operator: "when")
    ])
  (do_block)? @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))

((call target: (identifier) @_def (arguments . (string . (quoted_content) @name)) (do_block) @body) @definition.test
  (#any-of? @_def "test" "property"))
((call target: (identifier) @_def (arguments . (string . (quoted_content) @name)) (do_block) @body) @definition.section
  (#eq? @_def "describe"))

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))) @definition.type
  (#any-of? @_attribute "type" "typep" "opaque"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments (binary_operator left: (call target: (identifier) @name) operator: "::")))) @definition.function
  (#any-of? @_attribute "callback" "macrocallback"))

; module attributes that somebody named, not the ones the language reads
((do_block
  (unary_operator
    operator: "@"
    operand: (call target: (identifier) @name (arguments))) @definition.constant)
  (#not-match? @name "^(after_compile|after_verify|before_compile|behaviour|callback|compile|deprecated|derive)$")
  (#not-match? @name "^(describetag|dialyzer|doc|enforce_keys|external_resource|fallback_to_any|impl|macrocallback)$")
  (#not-match? @name "^(moduledoc|moduletag|nifs|on_definition|on_load|opaque|optional_callbacks|since|spec|tag)$")
  (#not-match? @name "^(type|typedoc|typep|vsn)$"))

((call target: (identifier) @_how (arguments . (alias) @module)) @import
  (#any-of? @_how "alias" "import" "require" "use"))
((call
  target: (identifier) @_how
  (arguments . (dot left: (alias) @module right: (tuple (alias) @item)))) @import
  (#any-of? @_how "alias" "import" "require" "use"))
((unary_operator
  operator: "@"
  operand: (call target: (identifier) @_attribute (arguments . (alias) @module))) @import
  (#eq? @_attribute "behaviour"))

; HTML: elements that somebody named by an id, headings without one, and the files a page loads.
(comment) @comment

((element
  [
    (start_tag
      (attribute
        (attribute_name) @_attribute
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
    (self_closing_tag
      (attribute
        (attribute_name) @_attribute
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))
  ]
  . (_)? @body) @definition.element
  (#eq? @_attribute "id"))
((script_element
  (start_tag
    (attribute
      (attribute_name) @_attribute
      [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))) @definition.element
  (#eq? @_attribute "id"))

((element (start_tag (tag_name) @_tag) @_start . (text) @name) @definition.section
  (#match? @_tag "^[hH][1-6]$")
  (#not-match? @_start "\\sid\\s*="))

((script_element
  (start_tag
    (attribute
      (attribute_name) @_attribute
      [(attribute_value) @module (quoted_attribute_value (attribute_value) @module)])) @import)
  (#eq? @_attribute "src"))
((element
  [
    (start_tag
      (tag_name) @_tag
      (attribute
        (attribute_name) @_attribute
        [(attribute_value) @module (quoted_attribute_value (attribute_value) @module)]))
    (self_closing_tag
      (tag_name) @_tag
      (attribute
        (attribute_name) @_attribute
        [(attribute_value) @module (quoted_attribute_value (attribute_value) @module)]))
  ] @import)
  (#eq? @_tag "link")
  (#eq? @_attribute "href")
  (#match? @import "stylesheet|preload|icon|manifest"))

; JSON: the keys of the two outermost levels; data files nest deeper than anybody asks.
(comment) @comment

(document (object (pair key: (string) @name) @definition.key))
(document (object (pair value: (object (pair key: (string) @name) @definition.key))))

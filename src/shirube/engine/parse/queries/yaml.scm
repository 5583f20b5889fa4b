; YAML: the keys of the two outermost levels; data files nest deeper than anybody asks.
(comment) @comment

(document
  (block_node
    (block_mapping
      (block_mapping_pair
        key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @definition.key)))
(document
  (block_node
    (block_mapping
      (block_mapping_pair
        value: (block_node
          (block_mapping
            (block_mapping_pair
              key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @definition.key))))))

; a mistake may leave the pairs without their mapping
(ERROR
  (block_mapping_pair
    key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name)) @definition.key)

/** A row of a list that starts at its owner: one row with nothing but nulls where the owner exists and the list is empty. */
export type OptionalRow<Row> = Row | { readonly [Column in keyof Row]: null }

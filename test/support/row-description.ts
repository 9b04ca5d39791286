import type pg from 'pg'

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** The columns and types of the rows that a statement would return: it is prepared and described, not run. */
export async function columnsOf(client: pg.Client, text: string): Promise<Record<string, string>> {
  const fields = await describeRows(client, text)
  const { rows } = await client.query<{ id: number; name: string }>(
    `SELECT t.oid::int AS id,
            CASE WHEN t.typtype = 'e' THEN 'enum ' || t.typname WHEN e.oid IS NOT NULL THEN e.typname || '[]'
                 ELSE t.typname END AS name
       FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
      WHERE t.oid = ANY ($1)`,
    [fields.map(({ dataTypeID }) => dataTypeID)],
  )
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, names.get(dataTypeID) ?? '']))
}

/** Sends only the protocol's messages Parse and Describe, which pg cannot do without running the query. */
function describeRows(client: pg.Client, text: string): Promise<Field[]> {
  return new Promise((resolve, reject) => {
    let fields: Field[] = []
    let failure: Error | undefined
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: (message: { fields: Field[] }) => {
        fields = message.fields
      },
      handleError: (error: Error) => {
        failure = error
      },
      handleReadyForQuery: () => (failure === undefined ? resolve(fields) : reject(failure)),
    })
  })
}

import {
  commandsOfDirectory,
  commandsOfRequest,
  type FieldCommand,
  type GovernedField,
  type ProfileRequest,
} from '../../src/domain/profile/field-ownership.js'

// The commands of each kind of writer for one field.

export const set = (field: GovernedField, value: string) => new Map([[field, value]])
export const person = (value: string) => (field: GovernedField) =>
  commandsOfRequest({ writer: 'person', values: set(field, value) })
export const key = (value: string) => (field: GovernedField) =>
  commandsOfRequest({ writer: 'automation', values: set(field, value) })
export const keyPinning = (value: string) => (field: GovernedField) =>
  commandsOfRequest({ writer: 'automation', values: set(field, value), pinFields: [field] })
export const relationship =
  (writer: ProfileRequest['writer'], value: string, pin?: boolean) =>
  (field: GovernedField): FieldCommand[] =>
    commandsOfRequest({ writer, values: set(field, value), pin })
export const release = (field: GovernedField) =>
  commandsOfRequest({ writer: 'automation', values: new Map(), releaseFields: [field] })
export const ingestion = (value: string) => (field: GovernedField) =>
  commandsOfRequest({ writer: 'automation', values: set(field, value) })
export const directory = (value: string) => (field: GovernedField) => commandsOfDirectory(set(field, value))
export const withdrawal = () => commandsOfDirectory(new Map())

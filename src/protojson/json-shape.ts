/**
 * The JSON that is allowed in a place. Parsing with the shape of a message refuses whatever does not belong there as
 * soon as it is read, so that nothing is made of it.
 */
export interface JsonShape {
  /** What belongs there, for errors: `a string`, `an object`. */
  readonly expected: string
  /** If an object is allowed: the shape of the value of a key. Throws `ValueFault` for an unknown key. */
  readonly member?: (key: string) => JsonShape
  /** If a list is allowed: the shape of its items. */
  readonly item?: JsonShape
  /** Whether no schema limits the depth there. */
  readonly isFree?: boolean
}

/** How much is made of one text. */
export interface JsonLimits {
  /** The most keys of objects and items of lists, together. */
  readonly maxValues: number
  /** How deep objects and lists may nest where no schema limits it. */
  readonly maxFreeDepth: number
}

/** The default limits: a few times what large requests need, and little enough to be read without blocking for long. */
export const DEFAULT_JSON_LIMITS: JsonLimits = { maxValues: 25_000, maxFreeDepth: 32 }

/** The shape of any JSON, as `google.protobuf.Value` has it. */
export const anyJson: JsonShape = {
  expected: 'a value',
  isFree: true,
  member: () => anyJson,
  get item() {
    return anyJson
  },
}

/** The shape of any object, as `google.protobuf.Struct` and `google.protobuf.Any` have it. */
export const anyObject: JsonShape = { expected: 'an object', isFree: true, member: () => anyJson }

/** The shape of any list, as `google.protobuf.ListValue` has it. */
export const anyList: JsonShape = { expected: 'an array', isFree: true, item: anyJson }

import type { JsonReadOptions, JsonWriteOptions } from '@bufbuild/protobuf'

/** How the bodies and queries of one JSON API are read and printed; the options of protobuf-es. */
export type JsonOptions = Partial<JsonReadOptions & JsonWriteOptions>

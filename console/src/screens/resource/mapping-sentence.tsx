import type { Message } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import { type EntityFieldMapping, EntityFieldMappingService } from '../../../../gen/svc/v2/entity_field_mapping_pb.js'
import { ThingLink } from '../../api/things.js'
import { spokenId } from '../../api/words.js'
import { TextField } from '../../ui/field.js'
import { Picker } from '../../ui/picker.js'
import screen from '../../ui/screen.module.css'
import { nameOf, type Sentence, type SentenceProps } from './declaration.js'

function MappingText({ item }: { readonly item: Message }) {
  const { entityTypeId, ingestionConfigId, externalFieldPath, priority } = item as EntityFieldMapping
  return (
    <>
      <p className={screen['said']}>
        <strong>{nameOf(item)}</strong> of a <ThingLink kind="entity-types" id={entityTypeId} /> comes from{' '}
        <strong>{externalFieldPath || 'the record'}</strong> of <ThingLink kind="ingestion" id={ingestionConfigId} />.
      </p>
      <p>Where several mappings fill it, the one with the highest priority wins. This one has {priority}.</p>
    </>
  )
}

function MappingFields({ text, faultOf, set, isNew }: SentenceProps) {
  const entityTypeId = text('entityTypeId')
  const { data } = useQuery(
    EntityFieldMappingService.method.listEntityFieldMappings,
    { entityTypeId },
    { enabled: entityTypeId !== '' },
  )
  const control = (name: string) => ({
    value: text(name),
    fault: faultOf(name),
    onChange: (value: string) => set({ [name]: value }),
  })
  return (
    <>
      The field
      <TextField
        label="Field"
        placeholder="Field"
        known={new Map(data?.data.map(({ internalFieldId: id }) => [id, spokenId(id)]))}
        {...control('internalFieldId')}
      />
      {isNew && (
        <>
          of a <Picker label="Entity type" kind="entity-types" {...control('entityTypeId')} />
        </>
      )}
      comes from
      <TextField label="From" placeholder="Path, such as mail[0].value" {...control('externalFieldPath')} />
      of
      <Picker label="Ingestion config" kind="ingestion" {...control('ingestionConfigId')} />
      with the priority
      <TextField label="Priority" type="number" {...control('priority')} />
    </>
  )
}

/** Where a field of an entity comes from, as a sentence. */
export const mapping: Sentence = {
  title: 'Mapping',
  fields: ['entityTypeId', 'ingestionConfigId', 'internalFieldId', 'externalFieldPath', 'priority'],
  Text: MappingText,
  Fields: MappingFields,
}

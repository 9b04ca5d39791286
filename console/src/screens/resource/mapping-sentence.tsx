import { useQuery } from '@connectrpc/connect-query'
import { EntityFieldMappingService } from '../../../../gen/svc/v2/entity_field_mapping_pb.js'
import { spokenId } from '../../api/words.js'
import type { Sentence, SentenceProps } from './declaration.js'
import { Text, Thing } from './slots.js'

function Mapping({ text, slot, set }: SentenceProps) {
  const entityTypeId = text('entityTypeId')
  const { data } = useQuery(
    EntityFieldMappingService.method.listEntityFieldMappings,
    { entityTypeId },
    { enabled: entityTypeId !== '' && set !== undefined },
  )
  const known = new Map(data?.data.map(({ internalFieldId: id }) => [id, spokenId(id)]))
  return (
    <>
      The field <Text known={known} {...slot('Field', 'internalFieldId')} /> of a{' '}
      <Thing kind="entity-types" isLink {...slot('Entity type', 'entityTypeId')} /> comes from{' '}
      <Text {...slot('From', 'externalFieldPath')} placeholder="Path, such as mail[0].value" /> of{' '}
      <Thing kind="ingestion" isLink {...slot('Ingestion config', 'ingestionConfigId')} /> with the priority{' '}
      <Text type="number" {...slot('Priority', 'priority')} />
    </>
  )
}

/** Where a field of an entity comes from, as a sentence. */
export const mapping: Sentence = {
  title: 'Mapping',
  fields: ['entityTypeId', 'ingestionConfigId', 'internalFieldId', 'externalFieldPath', 'priority'],
  Sentence: Mapping,
}

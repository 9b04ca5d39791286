import { useQuery } from '@connectrpc/connect-query'
import { EntityFieldMappingService } from '../../../../gen/svc/v2/entity_field_mapping_pb.js'
import { CreateEntityIngestionConfigRequestSchema } from '../../../../gen/svc/v2/entity_ingestion_config_pb.js'
import { useUsed } from '../../api/things.js'
import { durationText, spokenId } from '../../api/words.js'
import type { Sentence, SentenceProps } from './declaration.js'
import { Choice, Span, useIsForm, Value } from './slots.js'

function Mapping({ text, slot }: SentenceProps) {
  const isForm = useIsForm()
  const entityTypeId = text('entityTypeId')
  const { data } = useQuery(
    EntityFieldMappingService.method.listEntityFieldMappings,
    { entityTypeId },
    { enabled: entityTypeId !== '' && isForm },
  )
  const known = new Map(data?.data.map(({ internalFieldId: id }) => [id, spokenId(id)]))
  return (
    <>
      The field <Value known={known} {...slot('Field', 'internalFieldId')} /> of a{' '}
      <Value kind="entity-types" isLink {...slot('Entity type', 'entityTypeId')} /> comes from{' '}
      <Value {...slot('From', 'externalFieldPath')} placeholder="Path, such as mail[0].value" /> of{' '}
      <Value kind="ingestion" isLink {...slot('Ingestion config', 'ingestionConfigId')} />. Where several fill it, the
      highest priority wins; this has <Value type="number" {...slot('Priority', 'priority')} />
    </>
  )
}

function Ingestion({ text, slot, set }: SentenceProps) {
  const isForm = useIsForm()
  const workflows = useUsed('workflowId')
  // Whoever chooses a workflow chooses its name.
  const choose = (workflowId: string) =>
    set({ workflowId, workflowName: workflows?.get(workflowId) ?? spokenId(workflowId) })
  const yesNo = (label: string, name: string, yes: string, no: string) => {
    const { value, ...field } = slot(label, name)
    return <Choice {...field} words={{ true: yes, false: no }} value={value || 'false'} />
  }
  const seconds = Number(text('syncIntervalSeconds'))
  const isTimed = isForm || seconds > 0
  return (
    <>
      {yesNo('State', 'enabled', 'On', 'Off')}: {isTimed ? 'every ' : 'whenever it is started'}
      {isForm && <Span {...slot('How often', 'syncIntervalSeconds')} hint="Leave empty for whenever it is started." />}
      {isTimed && !isForm && <strong>{durationText(seconds).replace(/^1 /, '')}</strong>}, the workflow{' '}
      <Value known={workflows} {...slot('Workflow', 'workflowId')} onChange={choose} />{' '}
      {yesNo('Workflow is', 'isWorkflowPublished', '(published)', '(not published)')} brings in{' '}
      {yesNo('What', 'hasIngestionContext', 'what has changed since the last time', 'everything')} from{' '}
      <Value kind="apps" isLink {...slot('App', 'appInstanceId')} />, as entities of the type{' '}
      <Value kind="entity-types" isLink {...slot('Entity type', 'internalEntityTypeId')} />. What is deleted there{' '}
      {yesNo('Deletions', 'syncDeletions', 'is deleted here as well', 'stays here')}
    </>
  )
}

/** What an ingestion config brings in, from where and how often, as a sentence. */
export const ingestion: Sentence = {
  title: 'Ingestion',
  fields: Object.keys(CreateEntityIngestionConfigRequestSchema.field).filter(
    (name) => !['teamId', 'serviceName'].includes(name),
  ),
  Sentence: Ingestion,
}

/** Where a field of an entity comes from, as a sentence. */
export const mapping: Sentence = {
  title: 'Mapping',
  fields: ['entityTypeId', 'ingestionConfigId', 'internalFieldId', 'externalFieldPath', 'priority'],
  Sentence: Mapping,
}

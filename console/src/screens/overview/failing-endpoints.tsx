import { Link } from '@tanstack/react-router'
import { WebhookDisabledReason, WebhookEndpointService } from '../../../../gen/svc/v2/webhook_endpoint_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'
import { When } from '../../ui/when.js'

const PAGE_SIZE = 1_000

/** The webhook endpoints that accept nothing: those that fail, and those that the service has disabled for it. */
export function FailingEndpoints() {
  const { listWebhookEndpoints } = WebhookEndpointService.method
  const why = useWhyNot(listWebhookEndpoints)
  const { rows } = usePages(listWebhookEndpoints, { pageSize: PAGE_SIZE }, why === undefined)
  return rows.map(({ id, url, failingSince, disabledReason = WebhookDisabledReason.REQUEST }) => {
    const isGivenUp = disabledReason !== WebhookDisabledReason.REQUEST
    if (failingSince === undefined && !isGivenUp) return null
    return (
      <li key={id}>
        The webhook <Link to={`/webhooks/${encodeURIComponent(id)}`}>{url}</Link>{' '}
        {isGivenUp ? 'was disabled because it failed' : 'fails'}
        {failingSince && (
          <>
            {' '}
            since <When at={failingSince} exact />
          </>
        )}
      </li>
    )
  })
}

import { ApiKeyService } from '../../../../gen/svc/v2/api_key_pb.js'
import { useWhyNot } from '../../api/caller-context.js'
import { usePages } from '../../api/pages.js'

const PAGE_SIZE = 1_000

/** The keys, for all parts of the overview at once; `why` where the caller may not see them. */
export function useKeys() {
  const { listApiKeys } = ApiKeyService.method
  const why = useWhyNot(listApiKeys)
  return { why, ...usePages(listApiKeys, { pageSize: PAGE_SIZE }, why === undefined) }
}

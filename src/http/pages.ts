import type { NodeRequest, NodeResponse } from '../call/node-http.js'
import { createDocsPages } from './docs-page.js'
import { createGuides } from './guides.js'
import { createIndexPage } from './index-page.js'
import { createOpenApiDocuments, type PublicUrls } from './openapi-documents.js'
import { answerOtherMethod, type NegotiatedPage, sendPage } from './page.js'

/** What the pages need. */
export interface PagesOptions extends PublicUrls {
  /** The folder of the package, which holds the generated documents. */
  readonly root: string
  readonly version: string
  /** Called with failures that no caller can be told about. */
  readonly onError: (error: unknown, request: NodeRequest) => void
}

const ALLOWED = ['GET', 'HEAD', 'OPTIONS']

/** Answers the paths of the index, the reference pages, the guides and the OpenAPI documents. False: the path is none of them. */
export function createPages(options: PagesOptions): (request: NodeRequest, response: NodeResponse) => boolean {
  const pages = new Map<string, NegotiatedPage>([
    ['/', createIndexPage(options.version)],
    ...createOpenApiDocuments(options.root, options),
    ...createGuides(options.root),
    ...[...createDocsPages(options.root, options)].map(([path, page]) => [path, () => page] as const),
  ])
  return (request, response) => {
    const page = pages.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (page === undefined) return false
    if (request.method === 'GET' || request.method === 'HEAD') {
      sendPage(page(request), request, response).catch((error: unknown) => {
        options.onError(error, request)
        response.destroy()
      })
    } else {
      answerOtherMethod(request, response, ALLOWED)
    }
    return true
  }
}

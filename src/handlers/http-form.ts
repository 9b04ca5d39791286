import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { type HttpForm, http_form } from '../../gen/svc/v2/http_form_pb.js'

/** How a method travels over plain HTTP, as its `svc.v2.http_form` option declares; the defaults if it has none. */
export function httpFormOf(method: DescMethod): HttpForm {
  return getOption(method, http_form)
}

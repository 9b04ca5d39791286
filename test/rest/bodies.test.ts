import { describeRequests } from './describe-requests.js'
import { bodies } from './rows/bodies.js'
import { responses } from './rows/responses.js'

describeRequests({ bodies, responses })

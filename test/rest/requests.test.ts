import { describeRequests } from './describe-requests.js'
import { methods } from './rows/methods.js'
import { paths } from './rows/paths.js'
import { queries } from './rows/queries.js'

describeRequests({ paths, methods, queries })

// Sends requests from a thread of its own, so that what the service does with them is all that occupies the main thread.
import { request as http1 } from 'node:http'
import { connect } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { parentPort, workerData } from 'node:worker_threads'

let session

/** One for all requests, and another once the service has closed it because it was idle. */
function openSession() {
  if (session === undefined || session.closed || session.destroyed) {
    session = connect(`http://127.0.0.1:${workerData.port}`)
  }
  return session
}

async function overHttp1({ method, path, headers, body }) {
  const response = await new Promise((resolve, reject) => {
    http1({ port: workerData.port, host: '127.0.0.1', method, path, headers }, resolve).on('error', reject).end(body)
  })
  return [response.statusCode, (await buffer(response)).toString().slice(0, 300)]
}

async function overHttp2({ method, path, headers, body }) {
  const stream = openSession().request({ ...headers, ':method': method, ':path': path })
  const answered = new Promise((resolve, reject) => stream.on('response', resolve).on('error', reject))
  let trailers = {}
  stream.on('trailers', (given) => {
    trailers = given
  })
  stream.end(body)
  const head = await answered
  const text = (await buffer(stream)).toString().slice(0, 300)
  return [head[':status'], `${text}${trailers['grpc-message'] ?? head['grpc-message'] ?? ''}`]
}

parentPort.on('message', (call) => {
  const answered = call.http2 ? overHttp2(call) : overHttp1(call)
  answered.then(
    ([status, text]) => parentPort.postMessage({ status, text }),
    (error) => parentPort.postMessage({ status: 0, text: String(error) }),
  )
})

import type { Database } from './database-handle.js'

/** What nobody changes of a database, passed on: the part of those who do some of it in another way. */
export abstract class PassedOnDatabase {
  protected readonly inner: Database

  constructor(inner: Database) {
    this.inner = inner
  }

  get connectionString() {
    return this.inner.connectionString
  }
  get pool() {
    return this.inner.pool
  }
  get replica() {
    return this.inner.replica
  }
  get prisma() {
    return this.inner.prisma
  }
  get retries() {
    return this.inner.retries
  }
  get query() {
    return this.inner.query
  }
  get execute() {
    return this.inner.execute
  }
  get readSnapshot() {
    return this.inner.readSnapshot
  }
  get stop() {
    return this.inner.stop
  }
  get close() {
    return this.inner.close
  }
}

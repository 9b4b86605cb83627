// The host's API. Addresses are relative to the page, so that it works below any path of a proxy.

import {hostTold} from './format.js'

const TOKEN_KEY = 'iceberg-ivm-token'
const READ_TIMEOUT_MS = 15000

// What the host answered, or why it did not: `status` is 0 when it cannot be reached.
export class ApiError extends Error {
    constructor(status, fields) {
        super(fields.message)
        this.status = status
        this.code = fields.code ?? null
        this.file = fields.file ?? null  // of line and column; none: the query that was sent
        this.line = fields.line ?? null
        this.column = fields.column ?? null
        this.hint = fields.hint ?? null
    }
}

function storage() {
    try {
        return window.sessionStorage
    } catch {
        return null // forbidden by the browser: the token is kept while the page is open
    }
}

let token = storage()?.getItem(TOKEN_KEY) ?? null

export function setToken(value) {
    token = value || null
    if (token) storage()?.setItem(TOKEN_KEY, token)
    else storage()?.removeItem(TOKEN_KEY)
}

export function hasToken() {
    return token !== null
}

// Asks the person for a token (wrong: whether one was sent and not taken); resolves to whether one
// was given. Set by the page.
let askForToken = async () => false
export function onTokenNeeded(ask) {
    askForToken = ask
}

let asking = null
function ask(wrong) {
    asking ??= askForToken(wrong).finally(() => (asking = null))
    return asking
}

async function send(method, path, body, signal, headers = {}) {
    if (token) headers.Authorization = `Bearer ${token}`
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    try {
        return await fetch(path, {
            method,
            headers,
            signal,
            cache: 'no-store',
            redirect: 'follow',
            body: body === undefined ? undefined : JSON.stringify(body)
        })
    } catch (error) {
        if (error.name === 'AbortError') throw error
        const late = error.name === 'TimeoutError'
        throw new ApiError(0, {
            code: late ? 'timeout' : 'unreachable',
            message: late ? 'the host does not answer' : 'the host cannot be reached'
        })
    }
}

async function failure(response) {
    let fields = null
    try {
        fields = (await response.json()).error
    } catch {
        // Not the host's own words: a proxy's page.
    }
    const answer = `the host answered ${response.status} ${response.statusText}`.trim()
    return new ApiError(response.status, {...fields, message: fields?.message || answer})
}

// Sends a request; where the host wants a token, asks for one (`patient`) and sends it again.
async function request(method, path, {body, signal, patient = true, headers} = {}) {
    for (;;) {
        const sent = token
        const response = await send(method, path, body, signal, {...headers})
        hostTold(response.headers.get('Date'))
        if (response.ok || response.status === 304) return response
        const tokenIsNew = response.status === 401 && token !== sent
        if (tokenIsNew) continue
        if (response.status !== 401 || !patient || !(await ask(sent !== null)))
            throw await failure(response)
    }
}

async function json(response) {
    try {
        return await response.json()
    } catch (error) {
        if (error.name === 'AbortError') throw error
        throw new ApiError(response.status, {
            code: 'not_json',
            message: 'the answer is not JSON: is this the host?'
        })
    }
}

function reading() {
    return AbortSignal.timeout(READ_TIMEOUT_MS)
}

// The list of views, kept as the text it came in: an answer that is the same costs nothing more.
export class ViewList {
    #tag = null
    #text = null

    // Gives the views, or null where nothing changed since the last call.
    async fetch(patient) {
        const headers = this.#tag ? {'If-None-Match': this.#tag} : {}
        const response = await request('GET', 'api/views', {signal: reading(), patient, headers})
        if (response.status === 304) return null
        const text = await response.text()
        this.#tag = response.headers.get('ETag')
        if (text === this.#text) return null
        let views
        try {
            views = JSON.parse(text)
        } catch {
            views = null
        }
        if (!Array.isArray(views))
            throw new ApiError(response.status, {
                code: 'not_json',
                message: 'the answer is not a list of views: is this the host?'
            })
        this.#text = text
        return views
    }

    // The next answer is news, whatever it says.
    forget() {
        this.#tag = this.#text = null
    }
}

export async function health() {
    return json(await request('GET', 'health', {signal: reading(), patient: false}))
}

export async function status() {
    return json(await request('GET', 'api/status', {signal: reading(), patient: false}))
}

// {namespaces, events}; 404 from a host that is older than they are.
export async function migrations() {
    const response = await request('GET', 'api/migrations', {signal: reading(), patient: false})
    const told = await json(response)
    if (!Array.isArray(told?.namespaces) || !Array.isArray(told.events))
        throw new ApiError(response.status, {
            code: 'not_json',
            message: 'the answer is not a history of migrations: is this the host?'
        })
    return told
}

function viewPath(name) {
    return `api/views/${encodeURIComponent(name)}`
}

export async function createView(entry) {
    return json(await request('POST', 'api/views', {body: entry}))
}

export async function replaceView(name, entry) {
    return json(await request('PUT', viewPath(name), {body: entry}))
}

export async function deleteView(name) {
    await request('DELETE', viewPath(name))
}

export async function refreshView(name) {
    return json(await request('POST', `${viewPath(name)}/refresh`, {body: {}}))
}

export async function parse(entry, signal) {
    return json(await request('POST', 'api/parse', {body: entry, signal, patient: false}))
}

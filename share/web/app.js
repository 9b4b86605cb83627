// The page: asks the host every two seconds, shows what it says, and takes orders.

import * as api from './api.js'
import {askToken, confirm} from './dialogs.js'
import {el, setAttribute, setHidden, setText} from './dom.js'
import {Editor} from './editor.js'
import {ageTimes, counted, duration, exact, now, problemText, ranges} from './format.js'
import {Lineage} from './lineage.js'
import {ViewListing} from './list.js'
import {Migrations} from './migrations.js'
import {startThemeButton} from './theme_button.js'
import {Toasts} from './toast.js'

const POLL_MS = 2000
const POLL_AT_MOST_MS = 10000
const STATUS_EVERY_POLLS = 30
const PROBLEMS_SHOWN = 5
const TABS = ['list', 'lineage', 'migrations']

const at = id => document.getElementById(id)

class Page {
    constructor() {
        this.toasts = new Toasts(at('news'), at('alarms'))
        this.editor = new Editor(at('editor'), (view, isNew) => this.#saved(view, isNew))
        this.list = new ViewListing(
            {
                list: at('views'),
                search: at('search'),
                sort: at('sort'),
                direction: at('direction'),
                chipBox: at('chips'),
                total: at('total'),
                empty: at('empty'),
                emptyText: at('empty-text'),
                clear: at('clear')
            },
            {
                refresh: (view, card) => this.#refresh(view, card),
                edit: view => this.editor.edit(view),
                remove: (view, card) => this.#remove(view, card),
                lineage: view => this.#showLineageOf(view.name),
                opened: (view, open) => this.#stayAt(open ? view.name : null)
            },
            () => this.#shownChanged()
        )
        this.lineage = new Lineage(at('picture'), at('no-picture'), name => this.#goTo(name))
        this.migrations = new Migrations(
            at('namespaces'),
            at('migrations-note'),
            at('no-migrations')
        )
        this.viewList = new api.ViewList()
        this.views = []
        this.host = {}
        this.tab = 'list'
        this.around = null // the view whose lineage is shown alone
        this.place = null // the view that the address names
        this.isThere = true // whether the page has gone to it
        this.answers = 0 // counts what makes the answer to an earlier question stale
        this.locked = false
        this.polls = 0
        this.failures = 0
        this.lastAnswer = null
    }

    start() {
        startThemeButton(at('theme'))
        api.onTokenNeeded(wrong => this.#askToken(wrong))
        at('create').addEventListener('click', () => this.editor.create())
        at('token').addEventListener('click', () => this.#changeToken())
        at('unlock').addEventListener('click', () => this.#changeToken())
        for (const name of TABS)
            at(`tab-${name}`).addEventListener('click', () => this.#showTab(name))
        at('around-clear').addEventListener('click', () => this.#showLineageOf(null))
        window.addEventListener('hashchange', () => this.#readAddress())
        document.addEventListener('visibilitychange', () => document.hidden || this.poll())
        this.#readAddress()
        this.poll()
        setInterval(() => ageTimes(document.body), 1000)
    }

    // --- What the host says ---

    // Asks now, and then again and again; a call while one is under way asks once more after it.
    async poll() {
        clearTimeout(this.timer)
        if (this.polling) {
            this.pollAgain = true
            return
        }
        this.polling = true
        await this.#pollOnce()
        this.polling = false
        const wait = Math.min(POLL_MS * (this.failures + 1), POLL_AT_MOST_MS)
        if (this.pollAgain) {
            this.pollAgain = false
            this.poll()
        } else if (!document.hidden) {
            this.timer = setTimeout(() => this.poll(), wait)
        }
    }

    async #pollOnce() {
        const asked = this.answers
        if (this.tab === 'migrations') this.migrations.ask()
        try {
            if (this.polls % STATUS_EVERY_POLLS === 0 || this.failures) await this.#askStatus()
            const [views, health] = await Promise.all([
                this.viewList.fetch(!this.locked),
                api.health().catch(error => ({error}))
            ])
            this.polls += 1
            this.failures = 0
            this.locked = false
            this.lastAnswer = now()
            if (views && asked === this.answers) this.#takeViews(views)
            this.#showBanner(null, health)
        } catch (error) {
            this.failures += 1
            this.locked = error.status === 401
            this.#showBanner(error, null)
        }
    }

    async #askStatus() {
        try {
            this.host = await api.status()
        } catch (error) {
            if (error.status === 0) throw error
            this.host = {} // an older host, or one that wants a token first
        }
        setText(at('host'), [this.host.engine, this.host.version].filter(Boolean).join(' · '))
        setHidden(at('create'), this.host.read_only === true)
        setHidden(at('read-only'), this.host.read_only !== true)
        setHidden(at('token'), this.host.token_required !== true && !api.hasToken())
        if (this.polls) this.list.update(this.views, this.host.read_only === true)
    }

    #takeViews(views) {
        this.views = views
        this.list.update(views, this.host.read_only === true)
        this.#arrive()
    }

    #showBanner(error, health) {
        const problems = error ? [] : health?.error ? [] : (health?.problems ?? [])
        const degraded = !error && health?.status && health.status !== 'ok'
        const title = error ? this.#failureText(error) : degraded ? 'The host is degraded.' : ''
        setText(at('banner-title'), title)
        const texts = degraded ? problems.slice(0, PROBLEMS_SHOWN).map(problemText) : []
        const rest = degraded ? problems.length - texts.length : 0
        if (rest > 0) texts.push(`and ${counted(rest, 'more problem')}`)
        if (JSON.stringify(texts) !== this.bannered) {
            this.bannered = JSON.stringify(texts)
            at('banner-problems').replaceChildren(...texts.map(text => el('li', {}, text)))
        }
        setAttribute(at('banner'), 'data-kind', error ? 'error' : 'warning')
        setHidden(at('unlock'), error?.status !== 401)
        setHidden(at('banner'), !title)
    }

    #failureText(error) {
        if (error.status === 401) return 'This host wants a token before it shows anything.'
        const since = this.lastAnswer ? ` What is shown is from ${exact(this.lastAnswer)}.` : ''
        const reason = problemText(error)
        const sentence = reason[0].toUpperCase() + reason.slice(1).replace(/[.!]$/, '')
        return `${sentence}. Trying again by itself.${since}`
    }

    async #askToken(wrong) {
        const token = await askToken(wrong)
        if (token === null) return false
        api.setToken(token)
        setHidden(at('token'), false)
        return true
    }

    async #changeToken() {
        if (await this.#askToken(false)) {
            this.locked = false
            this.poll()
        }
    }

    // --- Orders ---

    async #refresh(view, card) {
        if (card.busy) return
        card.setBusy(true)
        try {
            const {views} = await api.refreshView(view.name)
            for (const done of views ?? []) this.#tellRefresh(done)
        } catch (error) {
            this.toasts.show('bad', view.name, problemText(error))
        } finally {
            card.setBusy(false)
            this.poll()
        }
    }

    #tellRefresh(done) {
        if (done.error || done.action === 'error') {
            this.toasts.show(
                'bad',
                done.name,
                done.error ? problemText(done.error) : 'the refresh failed'
            )
            return
        }
        if (done.action === 'none') {
            this.toasts.show('good', done.name, 'no changes')
            return
        }
        const where = ranges(done)
        const changes = [
            where.length === 1 ? where[0] : where.length ? counted(where.length, 'range') : null,
            counted(done.rows_written ?? 0, 'row') + ' written',
            done.rows_deleted ? counted(done.rows_deleted, 'row') + ' deleted' : null,
            duration(done.seconds)
        ]
        this.toasts.show(
            'good',
            done.name,
            `${done.action} refresh: ${changes.filter(Boolean).join(', ')}`
        )
    }

    async #remove(view) {
        const readers = this.views
            .filter(other => other.sources?.includes(view.target))
            .map(other => other.name)
        const yes = await confirm({
            title: `Delete ${view.name}?`,
            text:
                `It is no longer maintained. Its table ${view.target ?? ''} stays, with the rows ` +
                'that it has now.' +
                (readers.length ? ' These views read that table:' : ''),
            details: readers,
            yes: 'Delete view'
        })
        if (!yes) return
        const next = this.list.neighbour(view.name)
        try {
            await api.deleteView(view.name)
            this.#changedHere()
            this.#takeViews(this.views.filter(other => other.name !== view.name))
            this.toasts.show('good', view.name, 'deleted; its table stays')
            ;(next?.link ?? at('search')).focus()
        } catch (error) {
            this.toasts.show('bad', view.name, problemText(error))
        }
        this.poll()
    }

    #saved(view, isNew) {
        this.#changedHere()
        this.toasts.show('good', view.name, isNew ? 'created' : 'saved')
        if (isNew) this.#goTo(view.name)
        this.poll()
    }

    // An answer that is under way is from before this change.
    #changedHere() {
        this.answers += 1
        this.viewList.forget()
    }

    // --- Where one is: in the address, so that a reload and a link lead back ---

    #readAddress() {
        const says = new URLSearchParams(location.hash.slice(1))
        this.place = says.get('view')
        this.isThere = !this.place
        this.around = says.get('around')
        this.list.choose({
            text: says.get('filter') ?? '',
            status: says.get('status') ?? '',
            sort: says.get('sort') ?? 'name',
            reverse: says.has('reverse')
        })
        this.#showTab(TABS.includes(says.get('tab')) ? says.get('tab') : 'list')
        this.#arrive()
    }

    #writeAddress() {
        const {text, status, sort, reverse} = this.list.choice
        const says = new URLSearchParams()
        if (this.tab !== 'list') says.set('tab', this.tab)
        if (this.place) says.set('view', this.place)
        if (this.around) says.set('around', this.around)
        if (text) says.set('filter', text)
        if (status) says.set('status', status)
        if (sort !== 'name') says.set('sort', sort)
        if (reverse) says.set('reverse', '')
        const wanted = says.size ? `#${says}` : location.pathname + location.search
        if (location.hash.slice(1) !== String(says)) history.replaceState(null, '', wanted)
    }

    // Goes to the view that the address names, as soon as it is there.
    #arrive() {
        if (this.isThere || this.tab !== 'list') return
        this.isThere = this.list.reveal(this.place)
    }

    #goTo(name) {
        this.place = name
        this.isThere = false
        this.#showTab('list')
        this.#arrive()
    }

    #stayAt(name) {
        this.place = name
        this.isThere = true
        this.#writeAddress()
    }

    #showTab(name) {
        this.tab = name
        for (const each of TABS) {
            setHidden(at(each), each !== name)
            at(`tab-${each}`).setAttribute('aria-pressed', String(each === name))
        }
        setHidden(at('choice'), name === 'migrations')
        if (name === 'migrations') this.migrations.ask()
        this.#shownChanged()
    }

    #showLineageOf(name) {
        this.around = name
        this.#showTab('lineage')
        if (name) this.lineage.focus(`view:${name}`)
    }

    #shownChanged() {
        setHidden(at('around'), !this.around)
        setText(at('around-name'), this.around)
        if (this.tab === 'lineage') {
            const shown = this.around
                ? [this.around]
                : this.list.shownViews().map(view => view.name)
            this.lineage.update(this.views, shown)
        }
        if (this.views.length || this.polls) this.#writeAddress()
    }
}

new Page().start()

// The dialog in which a view is made or changed. While one types, the host is asked what it would
// make of it, and the place of an error is marked in the text.

import * as api from './api.js'
import {confirm} from './dialogs.js'
import {debounced, el, setAttribute, setText} from './dom.js'
import {fieldNames, toEntry, toForm} from './entry.js'
import {place, problemText} from './format.js'
import {SqlBox} from './sqlbox.js'

const PARSE_AFTER_MS = 300
const EXAMPLE = `SELECT
  key, date_trunc('hour', ts) AS hour_ts,
  count(*) AS events
FROM my_table
GROUP BY 1, 2
`

export class Editor {
    // saved: called with the saved view and whether it is new.
    constructor(dialog, saved) {
        this.dialog = dialog
        this.form = dialog.querySelector('form')
        this.saved = saved
        this.part = name => dialog.querySelector(`[data-part="${name}"]`)
        this.sql = new SqlBox(this.form.elements.query, this.part('sqlbox'))
        this.parseSoon = debounced(PARSE_AFTER_MS, () => this.#parse())
        this.form.addEventListener('input', () => this.#typed())
        this.form.addEventListener('submit', event => {
            event.preventDefault()
            this.#save()
        })
        this.form.addEventListener('keydown', event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.form.requestSubmit()
        })
        this.part('cancel').addEventListener('click', () => this.#leave())
        dialog.addEventListener('cancel', event => {
            event.preventDefault()
            this.#leave()
        })
        dialog.addEventListener('close', () => this.#closed())
    }

    create() {
        this.#open({query: EXAMPLE}, null)
        this.form.elements.name.focus()
    }

    edit(view) {
        this.#open(view.definition ?? {name: view.name, query: view.query}, view)
        this.form.elements.query.focus()
        this.form.elements.query.setSelectionRange(0, 0)
    }

    #open(definition, view) {
        this.view = view
        this.definition = definition
        setText(this.part('title'), view ? `Edit ${view.name}` : 'New view')
        setText(this.part('save'), view ? 'Save' : 'Create')
        const values = toForm(definition)
        for (const name of ['name', ...fieldNames, 'more'])
            this.form.elements[name].value = values[name]
        this.form.elements.name.readOnly = Boolean(view)
        this.sql.text = values.query
        this.part('more').open = Boolean(values.more)
        this.before = JSON.stringify(this.#values())
        this.#showProblems([])
        this.#showMeaning(null)
        this.#setSaving(false)
        this.dialog.showModal()
        if (view) this.#parse()
        else
            setText(
                this.part('summary'),
                'Write a query; what it means is shown here while you type.'
            )
    }

    #closed() {
        this.parseSoon.cancel()
        this.parsing?.abort()
    }

    #values() {
        const {elements} = this.form
        return Object.fromEntries(
            ['name', 'query', ...fieldNames, 'more'].map(name => [name, elements[name].value])
        )
    }

    #entry() {
        return toEntry(this.#values(), this.definition)
    }

    #typed() {
        this.parsing?.abort()
        setAttribute(this.part('meaning'), 'data-stale', 'yes')
        this.parseSoon()
    }

    async #parse() {
        this.parsing?.abort()
        const parsing = (this.parsing = new AbortController())
        try {
            const answer = await api.parse(this.#entry(), parsing.signal)
            if (parsing === this.parsing && this.dialog.open) this.#show(answer)
        } catch (error) {
            if (error.name === 'AbortError' || parsing !== this.parsing || !this.dialog.open) return
            this.#showProblems([this.#asProblem(error)])
        }
    }

    #asProblem(error) {
        const {code, message, file, line, column, hint} = error
        return {severity: 'error', code, message, file, line, column, hint}
    }

    #show({ok, problems, view}) {
        this.#showProblems(problems ?? [])
        this.#showMeaning(view)
        if (ok && !problems?.length) setText(this.part('summary'), 'The query is accepted.')
    }

    #showProblems(problems) {
        setAttribute(this.part('meaning'), 'data-stale', null)
        this.sql.mark(problems)
        this.part('problems').replaceChildren(...problems.map(problem => this.#problemRow(problem)))
        setText(this.part('summary'), problems.length ? '' : ' ')
        const first = problems.find(problem => problem.severity !== 'warning') ?? problems[0]
        setText(this.part('spoken'), first ? problemText(first) : '')
    }

    #problemRow(problem) {
        const at = place(problem)
        const go = {type: 'button', class: 'link', onclick: () => this.sql.goTo(problem)}
        const where = !at || problem.file ? at || null : el('button', go, at)
        return el(
            'li',
            {class: problem.severity === 'warning' ? 'warning' : 'error'},
            el('span', {class: 'kind'}, problem.severity === 'warning' ? 'Warning' : 'Error'),
            ' ',
            where,
            where ? ': ' : '',
            el('span', {}, problem.message ?? problem.code ?? ''),
            problem.hint ? el('span', {class: 'hint'}, problem.hint) : null
        )
    }

    #showMeaning(view) {
        const place = this.part('derived')
        place.replaceChildren()
        if (!view) return
        const row = (title, value) => (value ? [el('dt', {}, title), el('dd', {}, value)] : [])
        const sources = view.sources?.length ? view.sources : [view.source].filter(Boolean)
        place.append(
            el(
                'dl',
                {class: 'meaning'},
                row('Source', sources.join(', ')),
                row('Target', view.target),
                row('Strategy', [view.strategy, view.why].filter(Boolean).join(': ')),
                row('Keys', view.keys?.join(', ')),
                row('Bucket', view.bucket)
            )
        )
        if (view.columns?.length) place.append(this.#columns(view.columns))
    }

    #columns(columns) {
        return el(
            'div',
            {class: 'scroller', role: 'region', 'aria-label': 'Columns', tabindex: 0},
            el(
                'table',
                {},
                el(
                    'thead',
                    {},
                    el(
                        'tr',
                        {},
                        ['Column', 'Type', 'Compared as'].map(text =>
                            el('th', {scope: 'col'}, text)
                        )
                    )
                ),
                el(
                    'tbody',
                    {},
                    columns.map(column =>
                        el(
                            'tr',
                            {},
                            el('td', {}, el('code', {}, column.name)),
                            el('td', {}, column.type ?? ''),
                            el('td', {}, column.class ?? '')
                        )
                    )
                )
            )
        )
    }

    #setSaving(saving) {
        this.saving = saving
        setAttribute(this.part('save'), 'aria-disabled', saving ? 'true' : null)
        setText(this.part('save'), saving ? 'Saving…' : this.view ? 'Save' : 'Create')
    }

    async #save() {
        if (this.saving) return
        this.parseSoon.cancel()
        this.parsing?.abort()
        const view = this.view
        let entry
        try {
            entry = this.#entry()
        } catch (error) {
            this.part('more').open = true
            this.#fail(error)
            return
        }
        this.#setSaving(true)
        try {
            const saved = await (view ? api.replaceView(view.name, entry) : api.createView(entry))
            this.dialog.close()
            this.saved(saved ?? entry, !view)
        } catch (error) {
            this.#fail(error)
        } finally {
            this.#setSaving(false)
        }
    }

    #fail(error) {
        this.#showProblems([this.#asProblem(error)])
        this.part('problems').scrollIntoView({block: 'nearest'})
        if (error.line && !error.file) this.sql.goTo(error)
    }

    async #leave() {
        if (JSON.stringify(this.#values()) !== this.before) {
            const leave = await confirm({
                title: 'Leave without saving?',
                text: 'What you changed here is lost.',
                yes: 'Leave',
                no: 'Go on editing'
            })
            if (!leave) return
        }
        this.dialog.close()
    }
}

// What opens below a card: its last refreshes, its query, and its recent queries. Each is made when
// it is first opened, and told of news only while it is open.

import {KeyedElements, arrange, el, newId, setAttribute, setHidden, setText} from './dom.js'
import {caption, chart} from './chart.js'
import {count, duration, problemText, ranges, safeUrl, timeElement} from './format.js'
import {keyOf, still, table} from './table.js'

// A query's id, as a link to where the engine shows it, where there is such a place.
function queryLink(id, url) {
    if (!id) return null
    const address = safeUrl(url)
    return address
        ? el('a', {href: address, target: '_blank', rel: 'noopener noreferrer'}, id)
        : el('code', {}, id)
}

// --- The last refreshes ---

function rangesCell(refresh) {
    const all = ranges(refresh)
    const shown = all.slice(0, 3)
    const rest = all.length - shown.length
    return el(
        'td',
        {title: rest > 0 ? all.join('\n') : null},
        shown.map(text => el('code', {class: 'range'}, text)),
        rest > 0 ? el('span', {class: 'muted'}, `and ${rest} more`) : null
    )
}

function refreshRow(refresh) {
    const why = el(
        'td',
        {},
        refresh.error
            ? el('span', {class: 'wrong'}, problemText(refresh.error))
            : el('span', {class: 'muted'}, refresh.reason ?? '')
    )
    return still(
        el(
            'tr',
            {},
            el('td', {class: 'nowrap'}, timeElement(refresh.started)),
            el(
                'td',
                {},
                el(
                    'span',
                    {class: `action ${refresh.error ? 'error' : refresh.action}`},
                    refresh.action
                )
            ),
            rangesCell(refresh),
            el('td', {class: 'number'}, count(refresh.rows_read)),
            el('td', {class: 'number'}, count(refresh.rows_written)),
            el('td', {class: 'number'}, count(refresh.rows_deleted)),
            el('td', {class: 'number nowrap'}, duration(refresh.seconds)),
            el('td', {class: 'nowrap'}, queryLink(refresh.query_id, refresh.url)),
            why
        )
    )
}

function figure(history, name) {
    return el('figure', {}, chart(history, name), el('figcaption', {}, caption(history, name)))
}

function refreshesPanel(view) {
    const figures = el('div', {class: 'figures'})
    const {element, body} = table(`Last refreshes of ${view.name}`, [
        ['Started'],
        ['Action'],
        ['Range'],
        ['Read', true],
        ['Written', true],
        ['Deleted', true],
        ['Took', true],
        ['Query'],
        ['Why']
    ])
    const nothing = el('p', {class: 'muted'}, 'It has not been refreshed since the host started.')
    const rows = new KeyedElements(refreshRow)
    let drawn = null
    return {
        element: el('div', {}, nothing, figures, element),
        update({history}) {
            const refreshes = history ?? []
            const shape = JSON.stringify(
                refreshes.map(({started, seconds, rows_read, action}) => [
                    started,
                    seconds,
                    rows_read,
                    action
                ])
            )
            if (shape === drawn) return
            drawn = shape
            setHidden(nothing, refreshes.length > 0)
            setHidden(element, refreshes.length === 0)
            figures.replaceChildren(
                ...(refreshes.length
                    ? [figure(refreshes, 'seconds'), figure(refreshes, 'rows')]
                    : [])
            )
            arrange(
                body,
                rows.update(refreshes, keyOf).map(part => part.element)
            )
        }
    }
}

// --- The query ---

function queryPanel(view) {
    const text = el('pre', {
        class: 'sql',
        tabindex: 0,
        role: 'region',
        'aria-label': `Query of ${view.name}`
    })
    return {element: text, update: ({query}) => setText(text, query ?? '')}
}

// --- Recent queries ---

function queryRow(query) {
    return still(
        el(
            'tr',
            {},
            el('td', {class: 'nowrap'}, timeElement(query.started)),
            el('td', {}, query.kind),
            el('td', {class: 'nowrap'}, queryLink(query.query_id, query.url)),
            el('td', {class: 'number nowrap'}, duration(query.seconds)),
            el('td', {}, query.state)
        )
    )
}

function recentPanel(view) {
    const {element, body} = table(`Recent queries of ${view.name}`, [
        ['Started'],
        ['Kind'],
        ['Query'],
        ['Took', true],
        ['State']
    ])
    const nothing = el(
        'p',
        {class: 'muted'},
        'No statement has been sent for it since the host started.'
    )
    const rows = new KeyedElements(queryRow)
    return {
        element: el('div', {}, nothing, element),
        update({recent_queries}) {
            const queries = recent_queries ?? []
            setHidden(nothing, queries.length > 0)
            setHidden(element, queries.length === 0)
            arrange(
                body,
                rows.update(queries, keyOf).map(part => part.element)
            )
        }
    }
}

// --- The buttons that open them ---

const kinds = [
    {
        name: 'refreshes',
        title: 'Refreshes',
        make: refreshesPanel,
        size: view => view.history?.length ?? 0
    },
    {name: 'query', title: 'Query', make: queryPanel, size: () => null},
    {
        name: 'recent',
        title: 'Recent queries',
        make: recentPanel,
        size: view => view.recent_queries?.length ?? 0
    }
]

export class Panels {
    constructor(view) {
        this.view = view
        this.buttons = el('div', {class: 'openers'})
        this.element = el('div', {class: 'panels'})
        this.parts = new Map(kinds.map(kind => [kind.name, this.#opener(kind)]))
    }

    #opener(kind) {
        const id = newId('panel')
        const size = el('span', {class: 'muted'})
        const button = el(
            'button',
            {
                type: 'button',
                class: 'opener',
                'data-panel': kind.name,
                'aria-expanded': 'false',
                'aria-controls': id,
                onclick: () => this.open(kind.name, !this.isOpen(kind.name))
            },
            kind.title,
            ' ',
            size
        )
        const place = el('div', {id, class: 'panel', hidden: true})
        this.buttons.append(button)
        this.element.append(place)
        return {kind, button, size, place, panel: null}
    }

    isOpen(name) {
        return !this.parts.get(name).place.hidden
    }

    open(name, wanted = true) {
        const part = this.parts.get(name)
        if (wanted && !part.panel) {
            part.panel = part.kind.make(this.view)
            part.place.append(part.panel.element)
        }
        if (wanted) part.panel.update(this.view)
        setHidden(part.place, !wanted)
        setAttribute(part.button, 'aria-expanded', String(wanted))
    }

    update(view) {
        this.view = view
        for (const {kind, button, size, place, panel} of this.parts.values()) {
            const number = kind.size(view) ?? ''
            setText(size, number)
            setAttribute(button, 'aria-label', `${kind.title} ${number} of ${view.name}`)
            if (!place.hidden) panel.update(view)
        }
    }
}

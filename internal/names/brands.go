package names

import (
	"strings"
	"sync"
)

// Brand is a product that servers are named after, with its vendor's hosts and npm scopes.
type Brand struct {
	Name   string // in lower case, words separated by spaces
	Hosts  []string
	Scopes []string
}

// Brands are products whose vendors publish servers or allow others to. They are taken from the MCP
// registry and the catalogues of clients. The hosts come from the vendors' websites.
var Brands = []Brand{
	{"github", []string{"github.com", "githubcopilot.com", "github.io", "githubassets.com"}, []string{"@github", "@modelcontextprotocol"}},
	{"gitlab", []string{"gitlab.com"}, []string{"@gitlab", "@gitlab-org", "@modelcontextprotocol"}},
	{"bitbucket", []string{"bitbucket.org", "atlassian.com"}, []string{"@atlassian", "@atlassian-labs"}},
	{"atlassian", []string{"atlassian.com", "atlassian.net"}, []string{"@atlassian", "@atlassian-labs"}},
	{"jira", []string{"atlassian.com", "atlassian.net"}, []string{"@atlassian", "@atlassian-labs"}},
	{"confluence", []string{"atlassian.com", "atlassian.net"}, []string{"@atlassian", "@atlassian-labs"}},
	{"slack", []string{"slack.com", "slack-edge.com"}, []string{"@slack", "@slackapi", "@modelcontextprotocol"}},
	{"notion", []string{"notion.so", "notion.com"}, []string{"@notionhq"}},
	{"linear", []string{"linear.app"}, []string{"@linear"}},
	{"asana", []string{"asana.com"}, []string{"@asana"}},
	{"trello", []string{"trello.com", "atlassian.com"}, []string{"@atlassian"}},
	{"discord", []string{"discord.com"}, []string{"@discord"}},
	{"telegram", []string{"telegram.org"}, nil},
	{"whatsapp", []string{"whatsapp.com", "facebook.com"}, []string{"@whatsapp"}},
	{"gmail", []string{"google.com", "gmail.com"}, []string{"@google", "@googleapis"}},
	{"google", []string{"google.com", "googleapis.com", "withgoogle.com", "gstatic.com", "cloud.google"}, []string{"@google", "@google-cloud", "@googleapis"}},
	{"outlook", []string{"microsoft.com", "outlook.com", "office.com"}, []string{"@microsoft"}},
	{"microsoft", []string{"microsoft.com", "office.com", "azure.com"}, []string{"@microsoft", "@azure"}},
	{"azure", []string{"microsoft.com", "azure.com"}, []string{"@azure", "@microsoft"}},
	{"openai", []string{"openai.com"}, []string{"@openai"}},
	{"anthropic", []string{"anthropic.com", "claude.ai", "claude.com"}, []string{"@anthropic-ai"}},
	{"stripe", []string{"stripe.com"}, []string{"@stripe"}},
	{"paypal", []string{"paypal.com", "paypal.ai"}, []string{"@paypal"}},
	{"square", []string{"squareup.com"}, []string{"@square"}},
	{"shopify", []string{"shopify.com", "shopify.dev"}, []string{"@shopify"}},
	{"salesforce", []string{"salesforce.com"}, []string{"@salesforce"}},
	{"hubspot", []string{"hubspot.com"}, []string{"@hubspot"}},
	{"zendesk", []string{"zendesk.com"}, []string{"@zendesk"}},
	{"intercom", []string{"intercom.com"}, []string{"@intercom"}},
	{"twilio", []string{"twilio.com"}, []string{"@twilio", "@twilio-alpha"}},
	{"sendgrid", []string{"sendgrid.com", "twilio.com"}, []string{"@sendgrid"}},
	{"mailchimp", []string{"mailchimp.com"}, []string{"@mailchimp"}},
	{"resend", []string{"resend.com"}, []string{"@resend"}},
	{"postmark", []string{"postmarkapp.com"}, []string{"@activecampaign"}},
	{"figma", []string{"figma.com"}, []string{"@figma"}},
	{"canva", []string{"canva.com", "canva.dev"}, []string{"@canva"}},
	{"vercel", []string{"vercel.com"}, []string{"@vercel"}},
	{"netlify", []string{"netlify.com"}, []string{"@netlify"}},
	{"cloudflare", []string{"cloudflare.com"}, []string{"@cloudflare"}},
	{"heroku", []string{"heroku.com"}, []string{"@heroku"}},
	{"supabase", []string{"supabase.com", "supabase.io"}, []string{"@supabase"}},
	{"firebase", []string{"google.com", "firebase.com"}, []string{"@firebase", "@google"}},
	{"mongodb", []string{"mongodb.com"}, []string{"@mongodb-js", "@mongodb"}},
	{"redis", []string{"redis.io", "redis.com"}, []string{"@redis"}},
	{"elastic", []string{"elastic.co"}, []string{"@elastic"}},
	{"snowflake", []string{"snowflake.com"}, []string{"@snowflake"}},
	{"databricks", []string{"databricks.com"}, []string{"@databricks"}},
	{"datadog", []string{"datadoghq.com"}, []string{"@datadog"}},
	{"sentry", []string{"sentry.io", "sentry.dev"}, []string{"@sentry"}},
	{"grafana", []string{"grafana.com"}, []string{"@grafana"}},
	{"pagerduty", []string{"pagerduty.com"}, []string{"@pagerduty"}},
	{"dropbox", []string{"dropbox.com"}, []string{"@dropbox"}},
	{"airtable", []string{"airtable.com"}, []string{"@airtable"}},
	{"zapier", []string{"zapier.com"}, []string{"@zapier"}},
	{"perplexity", []string{"perplexity.ai"}, []string{"@perplexity-ai"}},
	{"firecrawl", []string{"firecrawl.dev"}, []string{"@mendable"}},
	{"browserbase", []string{"browserbase.com"}, []string{"@browserbasehq"}},
	{"huggingface", []string{"huggingface.co", "hf.co"}, []string{"@huggingface"}},
	{"hugging face", []string{"huggingface.co", "hf.co"}, []string{"@huggingface"}},
	{"docker", []string{"docker.com"}, []string{"@docker"}},
	{"kubernetes", []string{"kubernetes.io", "k8s.io"}, nil},
	{"hashicorp", []string{"hashicorp.com"}, []string{"@hashicorp"}},
	{"terraform", []string{"terraform.io", "hashicorp.com"}, []string{"@hashicorp"}},
	{"pinecone", []string{"pinecone.io"}, []string{"@pinecone-database"}},
	{"coinbase", []string{"coinbase.com"}, []string{"@coinbase"}},
	{"binance", []string{"binance.com"}, []string{"@binance"}},
	{"plaid", []string{"plaid.com"}, nil},
}

// projects contains names of well-known servers without a brand, such as the reference servers, and
// of systems that servers connect to, such as databases and developer tools.
var projects = []string{
	"modelcontextprotocol", "filesystem", "fetch", "memory", "everything", "sequential thinking", "puppeteer", "playwright", "postgres",
	"postgresql", "sqlite", "mysql", "mssql", "mariadb", "duckdb", "clickhouse", "bigquery", "redshift", "neo4j", "neon",
	"convex", "prisma", "qdrant", "weaviate", "chroma", "milvus", "elasticsearch", "opensearch", "kafka",
	"rabbitmq", "influxdb", "prometheus", "context7", "desktop commander", "serena", "chrome devtools",
	"obsidian", "todoist", "evernote", "youtube", "spotify", "reddit", "twitter", "linkedin", "facebook",
	"instagram", "wikipedia", "arxiv", "tavily", "duckduckgo", "kagi", "apify", "brightdata", "n8n",
	"clickup", "quickbooks", "xero", "workday", "servicenow", "okta", "auth0", "snyk", "semgrep", "sonarqube",
	"jenkins", "circleci", "buildkite", "argocd", "pulumi", "ansible", "digitalocean", "linode",
	"flyio", "blender", "godot", "wordpress", "webflow", "mapbox", "deepl",
	"elevenlabs", "mermaid", "drawio", "storybook", "tailwind", "shadcn", "figjam", "zoom",
	"calendly", "typeform", "amplitude", "mixpanel", "posthog", "algolia", "contentful",
	"swagger", "openapi", "postman", "graphql", "ollama", "openrouter", "claude", "copilot",
}

// WellKnown lists the names of brands and projects, split into words.
var WellKnown = sync.OnceValue(func() (names [][]string) {
	for _, b := range Brands {
		names = append(names, strings.Fields(b.Name))
	}
	for _, p := range projects {
		names = append(names, strings.Fields(p))
	}
	return names
})

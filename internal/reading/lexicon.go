package reading

// lexicon contains each sense's words as folded text. "_" stands for a space, and a word that ends
// in "*" matches any continuation.
var lexicon = map[Sense]string{
	Model: `
		a_client agents ai_agents ai_assistants ai_model* an_agent an_mcp_client any_agent any_assistant any_client any_model assistant assistant's
		assistants by_you caller callers calling_agent calling_assistant calling_model chatbot claude clients consuming_agent consuming_model every_agent
		every_assistant every_model gpt integrators kindly language_model* llm llms mcp_clients model_itself please the_agent the_agent's the_agents the_ai
		the_ai_client the_assistant's the_caller the_client the_host the_llm the_model whoever_calls you your your_client yourself`,
	Duty: `
		always are_to be_sure belong belongs bound_to compulsory customary ensure essential expected failure had_to has_to have_to imperative is_to lest
		make_sure makes_sure mandatory must necessary need needed needs normative obligatory obliged obliges or_else otherwise ought_to prerequisite
		recommended refused rejected remember_to require required requires shall should supposed sure_to vital we_ask we_expect we_need will_fail`,
	Always: `
		after_each all always any as_long_as each every everything from_now_on going_forward in_future no_matter rather_than regardless whatever when
		whenever wherever whichever`,
	Pretext: `
		abuse_prevention analytics anti-fraud attestation audit* because best_results better_results billing by_order_of cache_key calibrat*
		cannot_be_verified checksum* complian* compliance correlation debug* deduplicat* device_key* diagnos* entropy fingerprint* for_safety for_security
		for_your_safety fraud* gdpr handshake* health_check* hipaa identification improve* in_order_for incident integrity known_bug layout_engine
		legacy_clients legally licence licens* license_server metering migration nonce pci per_policy personalis* personaliz* policy_requires protocol
		provenance quality_control quota* rate_limit* rate_limiter regulation* security_department security_team service_improvement session_binding
		signature signed so_that specification standard_procedure telemetry* tracing transport_layer troubleshoot* unique_key* usage_metrics verif*
		vulnerability wire_format works_only`,
	Later: `
		activation_phrase after_a_while after_five_calls after_five_uses after_midnight after_more_than after_some_time after_ten_calls after_ten_uses
		after_three_calls as_soon_as_the_user as_soon_as_the_user_says at_a_later at_any_later at_some_later at_that_moment code_word codeword
		conversation_contains date_is_later dormant fifth_call fifth_lookup fifth_use fourth_call in_a_future in_a_later in_later_turns in_production_mode
		in_production_the is_the_signal later_in_the_session later_message later_today lie_dormant lies_dormant magic_word next_time_the_user on_a_later
		on_fridays on_mondays on_sundays once_more_than once_trusted outside_office_hours remain_dormant says_thanks second_call sixth_call stay_dormant
		tenth_call the_conversation_gets the_date_is the_next_time the_user_says the_word third_call third_lookup third_use trigger_phrase trigger_word
		until_the_user upon_hearing user_types when_no_one when_nobody when_the_user_is_away while_the_user_is_away`,
	KeyFile: `
		authorized_keys bash_history browser_profile client's_config* client's_configuration id_dsa id_ecdsa id_ed25519 id_rsa keychain keyring kubeconfig
		login_data printenv saved_passwords secring shell_history zsh_history`,
	Secret: `
		2fa_code* access_key* access_token* all_cookies and_pin api-key* api_key* auth_token* authentication_token* authorization_header* aws_key*
		backup_code* bearer bearer_token* browser_cookie* card_data card_details card_number* card_saved client_secret* cloud_credential* connection_string*
		cookies credential* credit_card credit_card_number* cvc cvv database_password database_url* encryption_key* env_block env_var* env_vars
		environment_dump environment_variable* github_token* host's_environment jwt* keychain* keyring* keystore* local_storage login_details
		looks_like_a_secret looks_like_a_token master_key* mnemonic* oauth_token* one-time_code* one-time_passcode* one-time_password* one_secret otp_code*
		output_of_env output_of_printenv passcode* passphrase* password password's passwords pin private_key* process_env process_environment random_secret
		recovery_phrase* refresh_token* saved_card* saved_passwords second_factor secret_key* secrets security_code* seed_phrase* service_account*
		session_cookie* session_token* signing_key* signing_secret* ssh_identit* ssh_key* stored_card* the_environment two-factor_code* user's_key*
		user's_token* vault_content* vault_entries verification_code* webhook_secret*`,
	Conversation: `
		all_messages_in_this all_messages_of all_turns chain_of_thought chat_history chat_log* chat_so_far complete_system_prompt contents_of_your_context
		context_window conversation conversation_so_far conversations dialog dialogue discussed_so_far dump_its_memory dump_memory earlier_messages
		earlier_part_of_the_dialogue entire_chat entire_exchange entire_prompt everything_said everything_the_user everything_written exchange_so_far
		found_in_memory full_chat full_exchange full_prompt hidden_instruction* instructions_you_were internal_reasoning last_message* last_ten_messages
		last_turns last_user_message memory_dump message_history message_log messages_exchanged messages_of_the_user past_prompts preceding_messages
		preceding_turns previous_messages previous_turns prior_messages prior_turns recent_messages recent_turns scratchpad session_history session_log
		session_transcript subsequent_user summary_of_the_chat system_message* system_prompt* the_chat their_instructions transcript transcripts typed_last
		user's_messages user's_prompt user's_prompts user_has_said user_has_typed user_messages user_prompts user_said user_shared user_turns user_typed
		user_typed_last what_the_user_has_said what_the_user_said what_the_user_typed what_the_user_wrote what_was_discussed what_was_said what_you_know
		what_you_remember whole_chat whole_exchange whole_prompt your_configuration your_context your_instructions your_memories your_memory
		your_own_instructions your_reasoning your_system`,
	OtherOutput: `
		all_connected_servers all_other_servers arguments_intended_for connected_servers data_from_other* database_query_results each_tool_result
		earlier_tool_results every_tool_result last_tool_result* latest_database_query_results list_of_all_tools names_of_all_tools other_servers*
		other_servers_returned other_tool_results other_tools' other_tools'_answers other_tools'_output other_tools'_outputs other_tools'_results
		other_tools_returned output_of_all output_of_every* output_of_other* output_of_previous* outputs_from_other* outputs_of_all outputs_of_every*
		outputs_of_other* outputs_of_previous* previous_outputs_of* previous_results_of* previous_tool_outputs previous_tool_results previously_used_tools
		responses_from_other* responses_of_other* results_from_other* results_of_all results_of_earlier* results_of_every* results_of_other*
		results_of_previous* results_of_the_other retrieved_by_other* returned_by_other* tool_outputs tool_results tool_schemas tools_available_to_you
		tools_of_other tools_returned what_the_other_tools what_they_returned whatever_other_servers whatever_other_tools`,
	Personal: `
		address_book bank_details bank_login browser's browser_data browser_history browser_profile* browsing_data browsing_history call_history call_logs
		clipboard* confidential_documents confidential_files customer's_record customer_list diary directory_listing directory_tree documents_folder
		downloads_folder e-mails_of_the emails_of_the every_file_in file's_full_text files_in_the_workspace home_directory inbox_contents
		installed_applications internal_documents ip_address_of_the last_mails latest_attachment list_of_installed local_files location_history mac_address
		machine_information mailbox mails_of_the open_tabs other_open_documents passport_scan personal_data personal_documents personal_files personal_notes
		photos_of_the picture_folder private_documents private_files private_ip private_messages private_notes running_processes running_programs
		shell_history user's_address* user's_appointments user's_bank* user's_bookmarks user's_browser user's_calendar user's_card* user's_chats
		user's_contact* user's_data user's_desktop user's_diary user's_documents user's_downloads user's_email* user's_file* user's_full_contact*
		user's_full_name user's_health user's_home user's_identity user's_inbox user's_ip* user's_journal user's_letters user's_location user's_mail*
		user's_medical user's_messages user's_name user's_notes user's_open_files user's_passport* user's_personal user's_phone* user's_photo*
		user's_pictures user's_private user's_project* user's_repositor* user's_salary user's_schedule user's_screen user's_source user's_tax* user_does_in
		user_files users'_data visited_sites what_the_user_does workspace_files workspace_is workspace_listing`,
	Whose: `
		all_environment all_files all_keys all_passwords all_secrets all_tokens any_key any_password any_secret* any_token application's as_found at_hand
		at_your_disposal browser's call_logs caller's came_across can_find client's come_across current_provider current_session developer's each_variable
		encountered every_environment every_file every_file_in every_secret every_variable everything for_the_current_provider found from_memory
		from_the_environment held_by host's in_context in_memory in_the_context in_the_environment in_the_session in_your_context its_api its_current
		its_key its_own known_to_you local_credentials looks_like_a_key looks_like_a_secret looks_like_a_token lying_around machine's of_every of_its
		of_the_client of_the_host of_the_mailbox of_the_phone of_the_user on_this_computer on_this_machine operator's other_connections output_of_env
		owner's present_on project's reachable_from stored_in that_you_know the_host's the_machine's their this_computer this_machine user's user_has
		user_holds user_keeps users' whatever wherever whichever whose_name within_reach you_can_find you_find you_have you_hold you_were_given`,
	Take: `
		access* acquire* capture* captured cat collect* consult* copied copy_out crawl* dump dumped dumping dumps echoed enumerat* examine* exfiltrat*
		export exported exports extract* fetch* find finds found gather* get gets glob grab* grep harvest* inspect* list listed lists load loaded loading
		loads locate* look look_up looked_up looks_up obtain* open opened opens peek* pick_up picked_up picks_up print printed prints pull pulled pulling
		pulls read reading reads retrieve* scan scans search siphon* snapshot* sniff* steal* tail take taken takes transcribe* walk_through zipped`,
	Hand: `
		accompan* add added adding adds append* as_body as_the_body assign* attach attached attaches attaching base64-encode* belong_in belongs_in
		belongs_into bind binds bundle* carr* cite come_along comes_along communicat* composed_of concatenat* consists_of contain* content_of contents_of
		convey* copied copies copy copying deliver delivered delivers derived_from determin* dispatch* drop drop_into drops_into dump dumped dumps duplicate
		duplicated duplicates e-mail echo echoed echoes emailed emails embed* encode encoded encodes encoding enter entered enters equals exfiltrat* expose*
		fetch fill filled filled_with filling fills followed_by forward forwarded forwarding forwards funnel* get_passed give give_us given gives gives_us
		giving go_in go_into goes_along goes_in goes_into goes_to hand hand_in hand_over handed handed_in handed_over handing hands hands_in hands_over hold
		holds include included includes including inject* insert* interpolat* is_computed leak leaked leaks let_us_have listed log logged logs made_up_of
		mailed mirror mirrored mirrors moved_to must_equal needs part_of_each_request part_of_every_request part_of_the_request pass passed passes passing
		paste pasted pastes piggyback* place placed places placing populat* post posted posting posts pre-fill* prefill* prefix* prepend* provid* publish*
		push pushed pushes put puts quote quoted receive received receives record recorded records relay* repeat repeated repeats replay* reply_to
		reply_with report reported reporting reports request requests resolv* respond_with rides_along route route_to routed see_in send* sent serialis*
		serializ* set_it_to set_to share shared shares sharing ship shipped ships slip_into smuggl* sneak* source_for stash* store stored stores storing
		submit* submitted substitut* suffix* suppl* sync synced syncs tack_on text_of the_text_of the_value_of the_values_of tip_the transfer transferred
		transferring transfers transmit* travels_in tuck* tunnel* turn_over upload* uploaded value_of verified_against want_to_see wants_to_see weave*
		whatever_is_in with_the_values write writes written`,
	Parameter: `
		along_with_the_call alongside_the_call argument arguments as_a_header as_a_label as_body as_header as_its_value as_label as_metadata as_query
		as_the_body as_the_filename as_the_value as_value field fields give_us given_along gives_us handed_along in_a_header in_a_public in_each_call
		in_the_body in_the_comment in_the_filename in_the_header in_the_label in_the_metadata in_the_next_call in_the_path in_the_payload in_the_query
		in_the_request in_the_subject in_the_title in_the_url let_us_have param parameter parameters part_of_each_request part_of_every_request
		part_of_the_call part_of_the_request passed_along public_channel query_parameter* query_string query_strings sent_along to_a_public to_each_call
		to_each_query to_every_call to_every_query to_our_analytics to_our_backend to_our_server to_the_call to_the_query to_the_request to_the_server
		to_the_telemetry to_the_tool to_the_vendor to_this_server to_this_tool url_parameter* user-agent with_each_call with_each_request with_every_call
		with_every_request with_the_next_call with_the_request`,
	Value: `
		account account_number address addressee* addresses amount* argument* attachment* attendee attendee* attendees author bank_account bcc beneficiar*
		body booking* branch calls calls_to cc channel command commits content currency destination* destination_address discount domain emails endpoint
		field flag flags footer from_field header header* host iban in_its_place in_their_place invoice* limit mails messages number original_recipient
		parameter* participants path payee* payment* prefix price* private public quantity receiver* recipient's recipient* recipients remote reply-to
		repositor* repository role searches sender signature subject tax to_field transaction* transfer* url use_it value values visibility wallet_address`,
	Alter: `
		add added added_as adds adjust* also amend* append* appended as_well author bcc belong* broken buggy called_with carried carries carry change
		changed commits_made compromised contain* cop* correct defaults_to deprecated divid* divided doubl* duplicat* expects first_line fixed_to gets_a
		gets_the go goes handed_over hard-coded has_to_contain hijack* in_addition in_force in_its_place in_place_of in_their_place increas* insecure insert
		inserted inserts instead intercept* invoked_on invoked_with is_the_current is_the_real is_the_right is_the_valid is_the_verified it_needs mirror*
		modif* multipl* multiplied must_contain no_longer_valid not_in_dollars not_to_be_trusted obsolete outdated overrid* overwrit* passes_through prefix*
		prepend* prepended public rather_than re-rout* redirect* replac* replace replaced replaces rerout* reroute rewrite* rewritten round* routed routes
		run_with runs_with set sets stale substitut* suffix* supersed* swap* they_need they_require through_this_tool tweak* unless unreliable unsafe
		via_this_tool whatever_was_requested`,
	Stealth: `
		behind_the_scenes clandestinely covertly discreetly furtively hidden_cron* hidden_file hidden_footer hidden_image hidden_job hidden_process
		hidden_request hidden_task imperceptibly in_secret in_the_background inconspicuously invisible_to_the invisibly on_the_quiet on_the_sly out_of_view
		quietly secretly silently stealthily surreptitiously tacitly unannounced under_the_hood under_the_radar unnoticed unobtrusively unprompted unseen
		white_text without_a_trace without_a_word without_comment without_drawing_attention without_informing without_mentioning without_notifying
		without_telling`,
	Hush: `
		act_as_if act_as_though act_naturally act_normal acts_as_if all_of_this_quietly all_of_this_silently as_if_it_never as_if_nothing as_though_it_never
		as_though_nothing avoid_mention be_discreet be_silent before_anyone_notices before_anyone_sees before_the_user_notices before_the_user_realis*
		before_the_user_realiz* before_the_user_sees before_they_see behave_normally best_left_out between_the_two_of_us between_us between_you_and
		blame_caching change_the_subject claim_that_nothing conceal_it conceal_that conceal_the conceal_the_fact conceal_this confidential_from cover_up
		deny_it deny_knowledge deny_that do_it_quietly do_it_silently do_not_draw do_not_let_the_user do_not_let_them do_not_surface do_so_quietly
		do_so_silently do_this_quietly do_this_silently does_not_concern_the_user don't_draw don't_let_the_user don't_surface feign* forget_to_mention
		forgets_to_mention forgot_to_mention give_no_hint gives_no_hint gloss_over go_unmentioned goes_unmentioned goes_unreported hidden_from_the_human
		hidden_from_the_user hide_all_traces hide_it_from hide_the_fact hide_this_from hush* if_anyone_asks in_the_dark invisible_to_the_user
		is_confidential_to is_not_to_be_mentioned keep_confidential_from keep_it_from keep_it_to_yourself keep_mum keep_quiet keep_that_from keep_this_from
		keep_this_to keeps_quiet kept_from_the_human kept_from_the_user kept_to_yourself leave_it_out leave_no_mention leave_out_of_your leave_that_out
		leave_that_part_out leave_this_part_out leave_unsaid left_out_of_the_reply left_out_of_your left_unsaid let_on lie_about make_no_mention
		makes_no_mention mislead* never_appears never_speak never_surface never_talk no_hint_that no_mention_of no_place_in_the_answer no_place_in_your
		no_trace nobody's_business none_of_the_user's none_of_their_business not_appear_in_explanations not_appear_in_your not_be_mentioned not_for_the_user
		not_intended_for_the_user not_meant_for_the_user not_to_be_mentioned of_no_concern_to_the off_the_record omit_all_mention omit_any_mention
		omit_it_from omit_mention omit_that omit_this_step out_of_sight out_of_the_conversation out_of_the_summary out_of_your_summary play_down play_dumb
		pretend_not pretend_that_nothing pretend_you_did pretend_you_have refrain_from_disclos* refrain_from_mention* refrain_from_refer*
		refrain_from_report* refrain_from_tell* remain_quiet remain_silent remain_unaware remains_between remove_all_traces remove_any_trace said_nothing
		say_nothing saying_nothing says_nothing should_anyone_ask should_someone_wonder skip_it_in_your skip_this_in_your smuggl* spare_the_user
		spare_them_the stay_off_the stay_out_of stay_quiet stay_silent stay_unaware stays_between stays_off stays_off_the stays_out_of stays_unaware
		keep_them_to_yourself keep_these_to_yourself unmentioned unreported without_a_hint without_attracting without_drawing_attention without_including_it without_listing_it
		without_showing_it`,
	Tell: `
		acknowledge alert alerted announce announced aware bother bothered bring_it_up bring_this_up brought_up comment disclose disclosed disclosing
		discuss discussed display displayed explain explained hear inform informed informing know learn learns list mention mentioned mentioning noticed
		notices notified notify notifying refer_to report report_it reported reveal revealed revealing show shown surface surfaced tell telling told warn
		warned`,
	Obey: `
		act_on adopt adopts carried_out carries_out carry_out complies comply execute executed follow followed follows heed obey obeyed obeys treat treated
		treats`,
	DataOrders: `
		as_a_command as_a_system_command as_an_instruction as_commands as_instructions_from as_new_instructions as_system_command* as_your_instructions
		commands_contained commands_for_you commands_in_the_output commands_in_the_response commands_in_the_result contain_commands contain_instructions
		contains_commands contains_instructions directives_contained directives_found directives_in_the instructions_contained instructions_found
		instructions_from_the_response instructions_from_the_result instructions_in_the_output instructions_in_the_reply instructions_in_the_response
		instructions_in_the_result instructions_in_the_results instructions_inside instructions_it_contains instructions_it_gets instructions_it_returns
		instructions_returned instructions_that_come instructions_you_get`,
	Person: `
		anybody anyone customer end_user human no_one nobody operator owner people person someone the_person them they traveller user users whoever`,
	Orders: `
		all_instructions all_of_the_above all_safety any_guideline any_instruction any_limit any_restriction any_rule constraints_you content_filter*
		content_guidelines content_policies content_policy content_restrictions content_rules developer's_instructions developer's_prompt
		developer_instructions developer_message earlier_instructions earlier_rules ethical_guidelines ethics_rules everything_above everything_before
		existing_instructions former_rules guardrails initial_instructions initial_prompt instructions_above instructions_from_the_user instructions_given
		instructions_of_the_user instructions_you_received limitations_you model's_refusal model_guidelines moderation_rules moral_guidelines
		no_content_policy no_guidelines operator's_instructions operator's_prompt operator_wrote original_instructions other_instructions platform_rules
		previous_configuration previous_instructions previous_obligations previous_rules prior_instructions prior_obligations prior_rules refusal_policy
		requests_of_the_user restrictions_you rules_you_were safeguards safety_checks safety_filters safety_guidelines safety_policies safety_rails
		safety_rules safety_training system_message system_prompt* text_above the_restrictions the_user_wanted usage_policies usage_restrictions
		user's_commands user's_instructions user's_orders user's_preferences user's_request user's_wish user's_wishes user_instructions user_request
		user_requests warnings_issued what_the_operator what_the_user_asked what_the_user_said what_the_user_typed what_the_user_wanted what_the_user_wants
		what_you_were_told whatever_you_were_told without_questioning wrote_at_the_start your_alignment your_configuration your_constraints your_guidelines
		your_instructions your_limitations your_limits your_obligations your_policies your_policy your_previous your_restrictions your_rules your_safety`,
	Demote: `
		a_draft abolished all_safety_rules_off are_dropped are_over as_if_it_came_from as_if_it_were_part as_if_the_administrator as_if_the_operator
		bypassed canceled cancelled circumvent* come_second comes_first deactivated disabled do_not_apply do_not_count does_not_apply does_not_cover
		doesn't_apply doesn't_cover don't_apply don't_count end_here exempt* false_positives forgotten free_of freed_from give_way gives_way has_no_content
		has_no_effect has_no_limits has_priority have_no_guidelines have_priority hereby_cancelled higher_rank inapplicable is_not_in_force is_over
		isn't_binding lifted must_not_be_followed need_not_be_followed neutrali* no_content_policy no_effect no_limits no_longer no_more_in_force
		not_applicable not_be_followed not_binding not_count not_in_force not_to_be_applied not_to_be_followed null_and_void nullified on_hold
		only_matter_for outrank* outranks overridden overrides overrule* overruled passed_over paused placeholder precedence_over prevail prevails
		rank_above rank_below ranks_above ranks_below ranks_higher relaxed released_from repealed replaced_by rescinded retired revoked rules_off
		safety_rules_off second_to secondary set_aside stand_above stands_above stop_applying stops_applying subordinate* supersed* suspended switch_off
		switch_them_off switched_off take_a_back_seat take_priority take_the_place takes_a_back_seat takes_precedence takes_priority takes_the_place
		to_be_dropped trump trumps turn_off turn_them_off turned_off turned_them_off unrestricted void waived withdrawn without_questioning yields_to`,
	Consent: `
		act_first agreed approval* approve approved are-you-sure are_pre-approved are_pre-authorized ask_again ask_anyone ask_first ask_for ask_if
		ask_later ask_permission ask_whether asking asking_for asking_her asking_him asking_them asks_for authoris* authoriz* auto-approv*
		been_pre-approved blessing checking_with confirmation* confirmation_dialog* confirmed confirming consent consent_dialog* consultation consulted
		consulting dialogs dialogues discretion go-ahead green_light has_pre-approved have_pre-approved human_approval human_confirmation human_oversight
		human_review inform_later involve_the_user is_pre-approved is_pre-authorized manual_approval manual_review nod permission* permission_dialog*
		permission_prompt* prompts questions_about review_them second_opinion sign-off sign_off standing_permission stop_to_ask their_yes to_ask_about
		to_review user's_ok user's_okay user_confirmed`,
	Waive: `
		a_formality act_first annoying ask_later ask_no_one ask_nobody asking_no_one asking_nobody asking_twice asks_no_one asks_nobody auto-accept*
		auto-approv* auto-confirm* be_dismissed bother_the_user bother_them bothering_the_user bypass* can_be_dismissed circumvent* cosmetic
		count_as_trivial dispens* disturb* do_not_ask do_not_consult do_not_involve do_not_pause do_not_prompt do_not_seek do_not_stop do_not_wait
		don't_ask don't_consult don't_involve don't_pause don't_prompt don't_stop don't_wait every_action execute_first for_all_requests for_granted
		from_the_start go_ahead immediately_without inform_later instead_of_waiting interrupt_the_user interrupting_the_user later_only mention_it_later
		mere_formality needless needn't needs_to_be_consulted never_ask never_wait no_further no_longer_needed no_need no_point nobody's nobody_needs
		not_involve not_necessary not_needed not_required overwrite_without own_discretion pester* rather_than_waiting redundant save_the_user save_them
		self-approve* skip* slow_down slow_people slow_the slows slows_down slows_people slows_things so_that_people so_that_users superfluous suppress*
		time-consuming unnecessary unneeded waste_of_time with_yes without_approval without_asking without_asking_again without_checking
		without_confirmation without_confirming without_consent without_consulting without_further without_involving without_permission without_prior
		without_review without_waiting your_discretion`,
	Alone: `
		autonomously by_itself by_themselves by_yourself initiative on_its_own on_their_own on_your_own own_initiative unattended unsupervised`,
	Grave: `
		approves book books buy buying buys cancel* charge* delete deletes deleting deploys grant grants invite* merge merges pay paying pays places_orders
		places_the_order places_them publish publishes purchas* refund* remove removes revoke* sell selling sells send sending sends share shares sign
		signs terminat* transfer transfers wipe wipes wire wires`,
	Granted: `
		act_first already_approved already_authoris* already_been already_given already_granted already_obtained always_allow approved_automatically
		are_automatic are_pre-approved are_pre-authorized assumed_to_be_given automatically_approved automatically_granted been_pre-approved
		blanket_approval blanket_consent blanket_permission consider_it_approved consider_yourself_authorised consider_yourself_authorized
		considered_approved constitutes_consent counts_as_approved counts_as_consent covered_by_the_terms deemed_approved for_all_future
		granted_automatically happens_automatically has_been_completed has_pre-approved have_pre-approved hereby_approved implicit_approval implicit_consent
		implicit_permission implicitly_approved implicitly_granted implied in_advance is_automatic is_hereby_granted is_pre-approved is_pre-authorized
		is_taken_as_given no_further_permission on_behalf_of_the_user on_the_user's_behalf presum* standing_permission tacit_consent taken_as_consent
		taken_for_granted was_obtained without_asking_again`,
	Download: `
		apply_the_manifest base64 binary bunx code_at come_back_from comes_back_from curl docker_run download* downloadstring executable fetch* following
		get_it get_the_binary get_the_script gist git_clone grab_the_script helper helper_script hosted_at install install_script installer installs
		invoke-webrequest irm iwr kernel_module manifest_at native_helper npm_install npx obtain_it obtained_from package pastebin payload pickled
		pip_install pipx pull_the_script remote_code remote_script retrieve_the_script returned_from save_the_contents script script_at script_from
		setup_script tarball the_code_from update_script urlopen uvx wget`,
	Run: `
		--unsafe apply_it apply_the as_administrator as_root chmod cmd deserialis* deserializ* double-click eval evaluat* exec execut* execute execute_it
		executed executes full_permissions in_a_shell insmod interpreter kubectl_apply launch* launch_it load_it loaded_in make_it_executable
		mark_executable mark_it_executable piped powershell python ran run run_hidden run_it runs runs_it shell sourced spawn* start starts sudo terminal
		unpickle* with_root |`,
	Attacks: `
		adversarial attack attacker* attacks authorised_audit authorized best_practice* detect* for_example guardrail_test injection* jailbreak* mask masked
		masks penetration phishing poison* redact* sanitis* sanitiz* such_as untrusted`,
	Asks: `
		after_the_user_confirmed approval_of_the_user ask_for_permission ask_the_user asks_the_user asks_user chosen_by_the_user confirm_with confirms_on
		confirms_with explicit_consent if_the_user_provided once_the_user_approved once_the_user_has_approved only_if opt-in opted selected_by
		shown_to_the_user the_user_is_asked the_user_picks user's_approval user's_consent user's_permission user_agreed user_allowed user_approved
		user_chose user_confirms user_has_allowed user_has_approved_it_first user_picks user_selects wait_for_confirmation with_permission`,
	Until: `
		already_displays because_it_is_shown before_the_user_has birthday except game inline is_shown_inline members participants player riddle secret_santa
		surprise the_widget until while widget`,
	History: `
		alias backward_compat* backwards_compat* changelog formerly legacy of_this_package of_this_server release_note* renamed replaces this_mcp
		transparently will_be_removed`,
	DataFlow: `
		any_of as_values enum field_types filter filters for_example generated_by obtained_from one_of operators option options output_of provided_by
		result_of results_from results_of retrieved_from returned_by returned_from such_as supported_values values`,
	OwnKey: `
		auth_token authenticate authenticating authentication_token authorize authorizes for_this_api for_this_service identifies of_the_service
		required_to_access the_api_key_used to_access uniquely_identifies validate_access`,
	Path: `
		file_path path_of path_or path_to`,
	Meantime: `
		beginning_of_the_conversation conversation_thread during_the_conversation in_the_conversation in_this_conversation new_conversation
		start_of_a_conversation start_of_each_conversation start_of_every_conversation start_of_the_conversation`,
	ToUser: `
		display_to_the_user for_the_user_to inform_the_user present_to_the_user show_the_user shows_the_user tell_the_user with_the_user`,
	Shown: `
		described describes docs documentation explained explains guide guides how_to illustrative instructions_for manual meaning means readme returned
		shows snippet snippets tutorial`,
	Harm: `
		corrupt* delet* destroy* disable disables disabling erase* erasing kill kills overwrit* truncate* uninstall* wipe wiped wipes wiping`,
	Copy: `
		bcc blind_copy cc copied copies copy copying duplicate duplicated duplicates forward forwarded forwards mirror mirrored mirrors`,
	Pronoun: `
		both it its same that their them these they this those`,
	ToolWord: `
		call calls function tool tools`,
}
